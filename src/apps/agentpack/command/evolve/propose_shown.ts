/**
 * How the answer of `evolve propose` shows candidates and what it skipped (PACK-49).
 *
 * @module
 */

import type { Candidate, Skipped } from "../../engine/edited.ts";
import { commandLine } from "../../engine/next_action.ts";
import { posix } from "../../io.ts";
import type { TargetName } from "../../names.ts";
import type { Pack, Selection } from "../../pack.ts";

/** A candidate as the answer shows it. */
export interface ShownCandidate {
  readonly module_id: string;
  readonly target: TargetName;
  readonly path: string;
  readonly path_posix: string;
}

/** What was skipped, why, and what would help. */
export interface ShownSkip {
  readonly target: TargetName;
  readonly path: string;
  readonly path_posix: string;
  readonly reason: Skipped["reason"];
  readonly reason_code: Skipped["reason"];
  readonly reason_message: string;
  readonly module_id?: string;
  readonly module_ids?: readonly string[];
  readonly next_actions: readonly string[];
  readonly suggestions: readonly { readonly action: string; readonly reason: string }[];
}

/** A candidate as the answer shows it. */
export function shownCandidate({ moduleId, target, path }: Candidate): ShownCandidate {
  return { module_id: moduleId, target, path, path_posix: posix(path) };
}

/** What was skipped, with what would help. */
export function shownSkip(pack: Pack, selection: Selection, one: Skipped): ShownSkip {
  const [only, ...others] = one.moduleIds;
  const line = (...words: string[]) => commandLine(pack, selection, words);
  const about = others.length === 0 && only !== undefined ? ["--module-id", only] : [];
  const isMissing = one.reason === "missing";
  const suggestions = isMissing
    ? [
      { action: `${pack.prefix} evolve restore`, reason: "Write the missing file again" },
      { action: `${pack.prefix} deploy --apply`, reason: "Deploy everything that is configured" },
    ]
    : one.reason === "multi_module_output"
    ? [
      { action: "edit the modules", reason: "Change the module that the text belongs to" },
      { action: "restore the markers", reason: "Edit only between the markers of a module" },
    ]
    : [];
  return {
    target: one.target,
    path: one.path,
    path_posix: posix(one.path),
    reason: one.reason,
    reason_code: one.reason,
    reason_message: one.message,
    ...(others.length > 0
      ? { module_ids: one.moduleIds }
      : only === undefined
      ? {}
      : { module_id: only }),
    next_actions: isMissing
      ? [line("evolve", "restore", ...about, "--yes"), line("deploy", "--apply", "--yes")]
      : [],
    suggestions,
  };
}
