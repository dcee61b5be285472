/** `overlay rebase`: brings an overlay up to its upstream of today (PACK-55). */

import { join } from "@std/path";
import { loadConfig } from "../../config/config.ts";
import { readLockfile } from "../../config/lockfile.ts";
import { declare, flag, type InputOf, type Look, members } from "../../declare/command.ts";
import { lines, shownPath } from "../../declare/show.ts";
import type { HeldLock } from "../../engine/journal.ts";
import { changeRepo, fileWrite } from "../../engine/repo_change.ts";
import type { StepWrite } from "../../engine/transaction.ts";
import { AgentpackError } from "../../error.ts";
import { few } from "../../../../base/text/words.ts";
import { type Twins, withPosix } from "../../io.ts";
import { readUpstream } from "../../module/compose.ts";
import type { OverlayScope } from "../../names.ts";
import { findOverlay, requireModule, surroundings } from "../../overlay/place.ts";
import {
  conflictPath,
  hasMarkers,
  LABELS,
  type LayeredFile,
  type Overlay,
  patchedText,
  readOverlay,
  settlingHint,
  unsettled,
} from "../../overlay/layer.ts";
import {
  baselineNow,
  baselinePath,
  type BaseReader,
  conflictsDirectory,
  openBaseline,
  patchesDirectory,
} from "../../overlay/meta.ts";
import type { Answer } from "../../pack.ts";
import { resolveUpstream, usableLockfile } from "../../source/resolve.ts";
import { MODULE, SCOPE } from "./path.ts";
import { bytesOf, type Content, decodeText, encodeText, hashOf, textOf } from "../../content.ts";
import { mergeTexts } from "../../diff.ts";
import { unifiedDiff } from "../../../../base/text/diff/unified.ts";

// Decides what becomes of each file of an overlay whose upstream moved (PACK-55). Nothing is written here.

/** What becomes of one file. */
type RebaseStep =
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
   * Both sides changed it. `bytes` is what somebody has to resolve, null where that file exists already. It has
   * conflict markers and replaces the file. With `aside` it goes into a directory for conflicts: a patch has no
   * place for it, and contents that are no text none for markers.
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
async function rebaseFiles(input: RebaseInput): Promise<RebaseStep[]> {
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
async function rebasePatches(input: RebaseInput): Promise<RebaseStep[]> {
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

/** What a rebase did, by path. */
interface RebaseReport {
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
  readonly skipped: readonly string[];
  readonly conflicts: readonly string[];
  readonly summary: {
    readonly processed_files: number;
    readonly updated_files: number;
    readonly deleted_files: number;
    readonly skipped_files: number;
    readonly conflict_files: number;
  };
}

/** `data` of `overlay rebase`. */
interface OverlayRebaseData extends Twins<"overlay_dir"> {
  readonly module_id: string;
  readonly scope: OverlayScope;
  readonly dry_run: boolean;
  readonly sparsify: boolean;
  readonly report: RebaseReport;
}

const OPTIONS = {
  module_id: MODULE,
  scope: SCOPE,
  sparsify: flag({ help: "Drop files that say the same as upstream" }),
};

function reportOf(steps: readonly RebaseStep[]): RebaseReport {
  const paths = (kind: RebaseStep["kind"]) =>
    steps.filter((step) => step.kind === kind).map((step) => step.path);
  const report = {
    updated: paths("write"),
    deleted: paths("delete"),
    skipped: paths("skip"),
    conflicts: paths("conflict"),
  };
  return {
    ...report,
    summary: {
      processed_files: steps.length,
      updated_files: report.updated.length,
      deleted_files: report.deleted.length,
      skipped_files: report.skipped.length,
      conflict_files: report.conflicts.length,
    },
  };
}

function noOverlay(id: string, scope: string, directory: string): AgentpackError {
  return new AgentpackError(
    "E_OVERLAY_NOT_FOUND",
    `"${id}" has no ${scope} overlay: there is no "${directory}"`,
    { overlay_dir: directory, hint: `Make one: overlay edit ${id} --scope ${scope}` },
  );
}

function noBaseline(id: string, scope: string, directory: string): AgentpackError {
  return new AgentpackError(
    "E_OVERLAY_BASELINE_MISSING",
    `The ${scope} overlay of "${id}" has no baseline "${baselinePath(directory)}"`,
    {
      overlay_dir: directory,
      baseline_path: baselinePath(directory),
      hint: `Record upstream as it is now: overlay edit ${id} --scope ${scope}`,
    },
  );
}

function conflicted(
  about: Omit<OverlayRebaseData, "report">,
  overlay: Overlay,
  steps: readonly RebaseStep[],
): AgentpackError {
  const { conflicts, summary } = reportOf(steps);
  const paths = [
    ...new Set([
      ...unsettled(overlay),
      ...steps.flatMap((step) =>
        step.kind === "conflict" && step.bytes !== null ? [placeOf(overlay, step)] : []
      ),
    ]),
  ].sort();
  const wouldWrite = steps.some((step) => step.kind === "conflict" && step.bytes !== null);
  const hint = about.dry_run && wouldWrite
    ? "Nothing was written; repeat with --yes to get the marks, then settle them"
    : settlingHint(overlay);
  return new AgentpackError(
    "E_OVERLAY_REBASE_CONFLICT",
    `The overlay of "${about.module_id}" and its upstream changed the same places of ${
      conflicts.join(", ")
    }; settle them in ${few(paths, 5)}`,
    { ...about, conflicts, summary, conflict_files: paths, hint },
  );
}

/** Where the outcome of a step is written. */
function placeOf({ directory, kind }: Overlay, step: RebaseStep): string {
  if (step.kind === "conflict" && step.aside) return conflictPath(directory, step.path);
  const isPatch = kind === "patch";
  const root = isPatch ? patchesDirectory(directory) : directory;
  return join(root, ...`${step.path}${isPatch ? ".patch" : ""}`.split("/"));
}

/**
 * Merges what an overlay changed with what upstream changed since, and records the new baseline.
 *
 * Throws `E_OVERLAY_NOT_FOUND`, `E_OVERLAY_BASELINE_MISSING`, `E_OVERLAY_BASELINE_UNSUPPORTED`, and, after
 * everything was written, `E_OVERLAY_REBASE_CONFLICT`.
 */
async function rebase(
  { pack, selection }: Look,
  options: InputOf<typeof OPTIONS>,
  held: HeldLock | null,
): Promise<Answer<OverlayRebaseData>> {
  const { files } = pack.system;
  const around = await surroundings(pack, selection);
  const { home } = around;
  const config = await loadConfig(files, home.config);
  const module = requireModule(config, options.module_id);
  const place = await findOverlay(pack.system, around, options.scope, module.id);
  const { directory } = place;
  if (!place.exists) throw noOverlay(module.id, options.scope, directory);
  const overlay = await readOverlay(files, module.id, options.scope, directory);
  if (overlay.baseline === null) throw noBaseline(module.id, options.scope, directory);
  const { lockfile } = usableLockfile(await readLockfile(files, home.lockfile), [module]);
  const upstream = await resolveUpstream(pack, home, module, { lockfile });
  const input = {
    overlay,
    upstream: await readUpstream(pack, module.id, upstream),
    base: await openBaseline(
      pack,
      home,
      { moduleId: module.id, directory, isFile: upstream.isFile },
      overlay.baseline,
    ),
    sparsify: options.sparsify,
  };
  const steps = overlay.kind === "patch" ? await rebasePatches(input) : await rebaseFiles(input);
  if (held !== null) {
    // Before anything is written here, which would itself make the config repo dirty.
    const baseline = await baselineNow(pack, home, upstream);
    await changeRepo(pack, held, writesOf(overlay, steps, baseline));
  }
  const report = reportOf(steps);
  const about = {
    module_id: module.id,
    scope: options.scope,
    ...withPosix("overlay_dir", directory),
    dry_run: held === null,
    sparsify: options.sparsify,
  };
  if (report.conflicts.length > 0) throw conflicted(about, overlay, steps);
  return {
    data: { ...about, report },
    warnings: place.warning === null ? [] : [place.warning],
  };
}

/** The files that the steps change, and the new baseline. */
function writesOf(
  overlay: Overlay,
  steps: readonly RebaseStep[],
  baseline: string,
): StepWrite[] {
  const { directory } = overlay;
  // Directories go only up to the overlay, which is still one when it is empty.
  const root = overlay.kind === "patch" ? patchesDirectory(directory) : directory;
  const gone = (root: string, path: string): StepWrite => ({
    root,
    path,
    expected: undefined,
    after: { kind: "absent" },
  });
  const changed = steps.flatMap((step): StepWrite[] => {
    if (step.kind === "keep" || step.kind === "skip") return [];
    const path = placeOf(overlay, step);
    if (step.kind === "conflict") {
      return step.bytes === null ? [] : [fileWrite(directory, path, step.bytes)];
    }
    return [
      step.kind === "delete" ? gone(root, path) : fileWrite(directory, path, step.bytes),
      ...(step.settles
        ? [gone(conflictsDirectory(directory), conflictPath(directory, step.path))]
        : []),
    ];
  });
  return [...changed, fileWrite(overlay.directory, baselinePath(overlay.directory), baseline)];
}

/** `overlay rebase`. */
export const overlayRebase = declare({
  path: ["overlay", "rebase"],
  summary: "Bring an overlay up to its upstream of today by a three-way merge.",
  options: OPTIONS,
  examples: ["overlay rebase skill:tidy", "overlay rebase skill:tidy --dry-run --json"],
  changes: { asks: "first" },
  look: (call, input) => rebase(call, input, null),
  act: (call, input) => rebase(call, input, call.held),
  answers: members<OverlayRebaseData>(
    "module_id",
    "scope",
    "overlay_dir",
    "overlay_dir_posix",
    "dry_run",
    "sparsify",
    "report",
  ),
  render: ({ data: { report, dry_run } }) => {
    const { summary } = report;
    return lines(
      `${dry_run ? "Would process" : "Processed"} ${summary.processed_files} files: ` +
        `${summary.updated_files} updated, ${summary.deleted_files} deleted, ${summary.skipped_files} skipped`,
      report.updated.map((file) => `  ~ ${shownPath(file)}`),
      report.deleted.map((file) => `  - ${shownPath(file)}`),
    );
  },
});
