/**
 * What goes on in a working copy, as git's own files tell without git.
 *
 * @module
 */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { gitDirectory } from "./directory.ts";

/** An unfinished operation in a repository. */
export type InProgress = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect";

/** What goes on in a working copy. */
export interface Activity {
  /** Null where nothing is unfinished. */
  readonly inProgress: InProgress | null;
  /** When anything was fetched last, in milliseconds since the epoch; null where nothing was since it was cloned. */
  readonly fetchedMs: number | null;
  readonly isShallow: boolean;
}

/** The files by which git knows an unfinished operation. */
const MARKERS: readonly (readonly [string, InProgress])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
];

/** What goes on in the working copy whose top a directory is; null where it is none. No process, one listing. */
export async function activityIn(system: System, directory: string): Promise<Activity | null> {
  const { files } = system;
  let place = join(directory, ".git");
  let entries = await files.list(place);
  if (entries.length === 0) {
    const elsewhere = await gitDirectory(system, directory);
    if (elsewhere === null) return null;
    place = elsewhere;
    entries = await files.list(place);
  }
  const names = new Set(entries.map((entry) => entry.name));
  const fetched = names.has("FETCH_HEAD") ? await files.stat(join(place, "FETCH_HEAD")) : null;
  return {
    inProgress: MARKERS.find(([file]) => names.has(file))?.[1] ?? null,
    fetchedMs: fetched?.modifiedMs ?? null,
    isShallow: names.has("shallow"),
  };
}
