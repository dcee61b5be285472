/** Decides what becomes of each file of an overlay whose upstream moved (PACK-55). Nothing is written here. */

import { decodeText, encodeText } from "../bytes.ts";
import { bytesOf, type Content, hashOf, textOf } from "../content.ts";
import { mergeTexts } from "../diff/merge.ts";
import { unifiedDiff } from "../../../base/text/diff/unified.ts";
import { hasMarkers, LABELS } from "./conflicts.ts";
import { type LayeredFile, type Overlay, patchedText } from "./layer.ts";
import type { BaseReader } from "./upstream.ts";

/** What becomes of one file. */
export type RebaseStep =
  | { readonly kind: "keep"; readonly path: string }
  | { readonly kind: "skip"; readonly path: string }
  /** With `settles`, what an earlier rebase put aside is no longer needed. */
  | { readonly kind: "delete"; readonly path: string; readonly settles?: true }
  | {
    readonly kind: "write";
    readonly path: string;
    readonly bytes: Content;
    readonly settles?: true;
  }
  /**
   * Both sides changed it; `bytes` is what somebody has to settle, null where that lies there already. It has markers,
   * and goes where the file is; or `aside`, as a patch has no place for it, and contents that are no text none for
   * markers.
   */
  | {
    readonly kind: "conflict";
    readonly path: string;
    readonly bytes: Content | null;
    readonly aside: boolean;
  };

interface RebaseInput {
  readonly overlay: Overlay;
  /** Upstream as it is now, by path. */
  readonly upstream: ReadonlyMap<string, LayeredFile>;
  readonly base: BaseReader;
  /** Whether files that say nothing of their own are removed. */
  readonly sparsify: boolean;
}

/** The hash of each file in the overlay's baseline. */
function baseHashes(overlay: Overlay): ReadonlyMap<string, string> {
  return new Map(overlay.baseline?.file_manifest.map((fact) => [fact.path, fact.sha256]) ?? []);
}

/** The steps for an overlay with override files. */
export async function rebaseFiles(input: RebaseInput): Promise<RebaseStep[]> {
  const bases = baseHashes(input.overlay);
  const steps: RebaseStep[] = [];
  const aside = new Set(input.overlay.conflicts.map(({ path }) => path));
  for (const { path, bytes: ours } of input.overlay.files) {
    const baseHash = bases.get(path);
    if (hasMarkers(ours) || aside.has(path)) {
      steps.push({ kind: "conflict", path, bytes: null, aside: false });
      continue;
    }
    if (baseHash === undefined) {
      steps.push({ kind: "skip", path });
      continue;
    }
    const theirs = input.upstream.get(path)?.bytes ?? null;
    const unchanged = hashOf(ours) === baseHash;
    if (theirs === null) steps.push({ kind: unchanged ? "delete" : "skip", path });
    else if (unchanged) steps.push(followed(path, ours, theirs, input.sparsify));
    else if (hashOf(theirs) === baseHash) steps.push({ kind: "keep", path });
    else if (hashOf(ours) === hashOf(theirs)) {
      steps.push({ kind: input.sparsify ? "delete" : "keep", path });
    } else steps.push(await merged(input.base, path, ours, theirs));
  }
  return steps;
}

function followed(
  path: string,
  ours: Content,
  theirs: Content,
  sparsify: boolean,
): RebaseStep {
  if (sparsify) return { kind: "delete", path };
  return hashOf(ours) === hashOf(theirs)
    ? { kind: "keep", path }
    : { kind: "write", path, bytes: theirs };
}

async function merged(
  reader: BaseReader,
  path: string,
  ours: Content,
  theirs: Content,
): Promise<RebaseStep> {
  const left = textOf(ours);
  const right = textOf(theirs);
  // Binary and very large files are not merged, so they need no base.
  const base = left === null || right === null ? null : decodeText(await reader.read(path));
  if (base === null || left === null || right === null) {
    return { kind: "conflict", path, bytes: theirs, aside: true };
  }
  const { text, conflicts } = mergeTexts(base, left, right, LABELS);
  const bytes = encodeText(text);
  return conflicts === 0
    ? { kind: "write", path, bytes }
    : { kind: "conflict", path, bytes, aside: false };
}

/** The steps for an overlay with patches; `write` carries the new patch. */
export async function rebasePatches(input: RebaseInput): Promise<RebaseStep[]> {
  const bases = baseHashes(input.overlay);
  const steps: RebaseStep[] = [];
  const aside = new Map(input.overlay.conflicts.map(({ path, bytes }) => [path, bytes]));
  for (const patch of input.overlay.patches) {
    const { path } = patch;
    const baseHash = bases.get(path);
    const left = aside.get(path);
    const settled = left === undefined || hasMarkers(left) ? null : textOf(left);
    if (left !== undefined && settled === null) {
      steps.push({ kind: "conflict", path, bytes: null, aside: true });
      continue;
    }
    if (baseHash === undefined) {
      steps.push({ kind: "skip", path });
      continue;
    }
    const theirs = input.upstream.get(path)?.bytes ?? null;
    const isStill = theirs !== null && hashOf(theirs) === baseHash;
    if (settled === null && isStill) {
      steps.push({ kind: "keep", path });
      continue;
    }
    const base = (isStill ? bytesOf(theirs) : null) ?? await input.base.read(path);
    const ours = settled ?? patchedText(base, patch, input.overlay);
    const step = rebasePatch(path, decodeText(base) ?? "", ours, theirs);
    steps.push(
      settled !== null && (step.kind === "write" || step.kind === "delete")
        ? { ...step, settles: true }
        : step,
    );
  }
  return steps;
}

function rebasePatch(
  path: string,
  base: string,
  ours: string,
  theirs: Content | null,
): RebaseStep {
  const right = theirs === null ? "" : textOf(theirs);
  if (right === null) return { kind: "conflict", path, bytes: theirs, aside: true };
  const { text, conflicts } = mergeTexts(base, ours, right, LABELS);
  if (conflicts > 0 || theirs === null) {
    return { kind: "conflict", path, bytes: encodeText(text === "" ? ours : text), aside: true };
  }
  const patch = unifiedDiff(right, text, `a/${path}`, `b/${path}`);
  return patch === ""
    ? { kind: "delete", path }
    : { kind: "write", path, bytes: encodeText(patch) };
}
