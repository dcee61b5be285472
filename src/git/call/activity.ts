/** What goes on in a working copy, as git's own files tell without git, where refs are files. */

import { join } from "@std/path";
import { gitDirectory, refsAreFiles } from "./directory.ts";
import type { Runner } from "./runner.ts";

/** An unfinished operation in a repository. */
export type InProgress = "merge" | "rebase" | "git am" | "cherry-pick" | "revert" | "bisect";

/** What goes on in a working copy. */
export interface Activity {
  /** Null where nothing is unfinished. */
  readonly inProgress: InProgress | null;
  /**
   * When anything was fetched last, in milliseconds since the epoch; null where nothing was since it was cloned, and after
   * a fetch that brought nothing.
   */
  readonly fetchedMs: number | null;
  /** Whether the last fetch noted nothing: it failed, has not ended, or there was nothing to bring. */
  readonly fetchedNothing: boolean;
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

/** The same for what is no file where refs are none: those two are refs. One process. */
async function notedAsRef(git: Runner): Promise<InProgress | null> {
  const known = ["CHERRY_PICK_HEAD", "REVERT_HEAD"];
  const { stdout } = await git.run(
    ["for-each-ref", "--include-root-refs", "--format=%(refname)", ...known],
    { access: "read", depends: "names" },
  );
  const found = new Set(stdout.split("\n"));
  return MARKERS.find(([name]) => known.includes(name) && found.has(name))?.[1] ?? null;
}

/**
 * What goes on in the working copy whose top git works in; null where it is none. No process, one listing; a process
 * where refs are no files and the message of a commit waits.
 */
export async function activityIn(git: Runner): Promise<Activity | null> {
  const { system, directory } = git;
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
  const found = MARKERS.find(([file]) => names.has(file));
  // Both keep their state there, and each goes on and back by its own command.
  const isMail = found?.[0] === "rebase-apply" &&
    await files.stat(join(place, "rebase-apply", "applying")) !== null;
  const marked = isMail ? "git am" : found?.[1] ?? null;
  const common = names.has("commondir") ? await git.common() ?? place : place;
  return {
    // Git writes the message of what it picks or reverts before the ref, and takes both away together.
    inProgress: marked ??
      (!names.has("MERGE_MSG") || await refsAreFiles(system, common)
        ? null
        : await notedAsRef(git)),
    // One that fails leaves an empty note with its own time.
    fetchedMs: fetched === null || fetched.size === 0 ? null : fetched.modifiedMs,
    fetchedNothing: fetched?.size === 0,
    isShallow: names.has("shallow"),
  };
}
