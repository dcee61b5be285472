/** Reads an overlay and lays it over a module's files (PACK-17 to PACK-20). */

import { join } from "@std/path";
import type { Files } from "../../../base/system/mod.ts";
import { type Content, decodeText, encodeText, textOf } from "../content.ts";
import { applyPatch, collisionLine, parsePatch } from "../diff.ts";
import { AgentpackError, configInvalid } from "../error.ts";
import type { OverlayKind, OverlayScope } from "../names.ts";
import { refuseLink } from "../source/resolve.ts";
import { listTree, readContents, readTree, RESERVED, type TreeFile } from "../source/tree.ts";
import {
  type Baseline,
  conflictsDirectory,
  patchesDirectory,
  readBaseline,
  readKind,
} from "./meta.ts";
import { count, few } from "../../../base/text/words.ts";

/** An overlay as it lies on the disk. */
export interface Overlay {
  readonly moduleId: string;
  readonly scope: OverlayScope;
  readonly directory: string;
  readonly kind: OverlayKind;
  /** Files that replace or add; empty for patch overlays. */
  readonly files: readonly TreeFile<Content>[];
  /** Patches, sorted; `path` is the file they change. */
  readonly patches: readonly TreeFile[];
  /** What a rebase could not merge and put aside; `path` is the file of the module. */
  readonly conflicts: readonly TreeFile<Content>[];
  readonly baseline: Baseline | null;
}

/** What a file of a module is while overlays are laid over it. */
export interface LayeredFile<C extends Content = Content> {
  readonly bytes: C;
  readonly executable: boolean;
  /** The highest layer that wrote it. */
  readonly layer: OverlayScope | "upstream";
}

const SUFFIX = ".patch";

/** Reads an overlay. Throws `E_CONFIG_INVALID` when its kind and its files contradict each other. */
export async function readOverlay(
  files: Files,
  moduleId: string,
  scope: OverlayScope,
  directory: string,
): Promise<Overlay> {
  const links = { refuse: refuseLink(moduleId), boundary: null };
  const kind = await readKind(files, directory);
  const overrides = await listTree(files, directory, { skip: RESERVED, links });
  const patches = (await listTree(files, patchesDirectory(directory), { skip: [".git"], links }))
    .filter((entry) => entry.path.endsWith(SUFFIX));
  const aside = await listTree(files, conflictsDirectory(directory), { skip: [".git"], links });
  const mixed = overrides.length > 0 && patches.length > 0
    ? "it has override files and patches"
    : kind === "dir" && patches.length > 0
    ? "it has patches but its kind is dir"
    : kind === "patch" && overrides.length > 0
    ? "it has override files but its kind is patch"
    : null;
  if (mixed !== null) {
    throw configInvalid(`The ${scope} overlay of "${moduleId}" cannot be used: ${mixed}`, {
      module_id: moduleId,
      scope,
      overlay_dir: directory,
      hint: "Keep either override files or .agentpack/patches, and set overlay_kind to match",
      override_files: overrides.map((entry) => entry.path),
      patch_files: patches.map((entry) => entry.path),
    });
  }
  return {
    moduleId,
    scope,
    directory,
    kind,
    files: await readContents(files, overrides),
    patches: (await readTree(files, patches)).map((patch) => ({
      ...patch,
      path: patch.path.slice(0, -SUFFIX.length),
    })),
    conflicts: await readContents(files, aside),
    baseline: await readBaseline(files, directory),
  };
}

/** Lays an overlay over files by path. Throws `E_CONFIG_INVALID` or `E_OVERLAY_PATCH_APPLY_FAILED`. */
export function layOver(under: Map<string, LayeredFile>, overlay: Overlay): void {
  for (const { path, bytes, executable } of overlay.files) {
    under.set(path, { bytes, executable, layer: overlay.scope });
  }
  for (const patch of overlay.patches) {
    const target = under.get(patch.path);
    const text = patchedText(target?.bytes ?? null, patch, overlay);
    under.set(patch.path, {
      bytes: encodeText(text),
      executable: target?.executable ?? false,
      layer: overlay.scope,
    });
  }
}

/** The text a patch makes of the file it names. */
export function patchedText(
  target: Content | null,
  patch: TreeFile,
  overlay: Pick<Overlay, "moduleId" | "scope" | "directory">,
): string {
  const details = {
    module_id: overlay.moduleId,
    scope: overlay.scope,
    overlay_dir: overlay.directory,
    patch_file: join(patchesDirectory(overlay.directory), `${patch.path}${SUFFIX}`),
    relpath: patch.path,
    hint: "Write the patch anew against the module as it is now, or use a dir overlay",
  };
  const refuse = (why: string) =>
    configInvalid(
      `The patch of "${patch.path}" for "${overlay.moduleId}" is refused: ${why}`,
      details,
    );
  if (patch.path.split("/").some((part) => part === "" || part === "." || part === "..")) {
    throw refuse("Its path has an empty part");
  }
  if (patch.path.includes("\\")) throw refuse("Its path has a backslash");
  if (target === null) throw refuse("The module has no such file");
  const before = target instanceof Uint8Array ? decodeText(target) : null;
  const patchText = decodeText(patch.bytes);
  if (before === null) throw refuse("The file is not valid UTF-8");
  if (patchText === null) throw refuse("It is not valid UTF-8");
  const parsed = parsePatch(patchText, patch.path);
  if ("problem" in parsed && parsed.problem === "refused") throw refuse(parsed.message);
  const result = "problem" in parsed ? parsed : applyPatch(before, parsed);
  if (typeof result === "string") return result;
  throw new AgentpackError(
    "E_OVERLAY_PATCH_APPLY_FAILED",
    `The patch of "${patch.path}" for "${overlay.moduleId}" does not fit: ${result.message}`,
    { ...details, stderr: result.message },
  );
}

// Places where an overlay and its upstream collided and that nobody has settled yet: nothing of them is deployed
// (PACK-55).

/** What the two sides are called in the markers of a rebase. */
export const LABELS = { ours: "overlay", theirs: "upstream" } as const;

/** Whether a rebase left markers in a content; it merges no large file. */
export function hasMarkers(content: Content): boolean {
  const text = textOf(content);
  // The labels tell markers of a rebase from those that a text about git quotes.
  return text !== null && collisionLine(text, LABELS) !== null;
}

/** Where the files lie that somebody has to edit or remove before an overlay counts again, sorted. */
export function unsettled(overlay: Overlay): string[] {
  const { directory, kind, files, patches, conflicts } = overlay;
  // Removing the override or the patch means that upstream was chosen.
  const ours = new Set([...files, ...patches].map(({ path }) => path));
  const aside = conflicts.filter(({ path, bytes }) =>
    ours.has(path) && (kind === "dir" || hasMarkers(bytes))
  );
  const marked = files.filter(({ bytes }) => hasMarkers(bytes));
  return [
    ...marked.map(({ path }) => join(directory, ...path.split("/"))),
    ...aside.map(({ path }) => conflictPath(directory, path)),
  ].sort();
}

/** Where what a rebase could not merge lies beside an overlay. */
export function conflictPath(directory: string, path: string): string {
  return join(conflictsDirectory(directory), ...path.split("/"));
}

/** What to do about files that a rebase could not merge. */
export function settlingHint(
  { moduleId, scope, kind }: Pick<Overlay, "moduleId" | "scope" | "kind">,
): string {
  return kind === "patch"
    ? `Edit them until no marks are left, then: overlay rebase ${moduleId} --scope ${scope}`
    : "Edit them until no marks are left; of a file below .agentpack/conflicts, which is upstream's, take what you need and remove it";
}

/** Throws `E_OVERLAY_REBASE_CONFLICT` for an overlay with collisions that nobody has settled. */
export function refuseUnsettled(overlay: Overlay): void {
  const paths = unsettled(overlay);
  if (paths.length === 0) return;
  const { moduleId, scope, directory } = overlay;
  throw new AgentpackError(
    "E_OVERLAY_REBASE_CONFLICT",
    `The ${scope} overlay of "${moduleId}" has ${
      count(paths.length, "conflict")
    } of a rebase that nobody has settled: ${few(paths, 5)}`,
    {
      module_id: moduleId,
      scope,
      overlay_dir: directory,
      conflict_files: paths,
      hint: settlingHint(overlay),
    },
  );
}
