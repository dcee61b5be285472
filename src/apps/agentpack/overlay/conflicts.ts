/**
 * Places where an overlay and its upstream collided and that nobody has settled yet: nothing of them is deployed
 * (PACK-55).
 */

import { join } from "@std/path";
import { type Content, textOf } from "../content.ts";
import { collisionLine } from "../diff/merge.ts";
import { AgentpackError } from "../error.ts";
import { count, few } from "../../../base/text/words.ts";
import type { Overlay } from "./layer.ts";
import { conflictsDirectory } from "./meta.ts";

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
