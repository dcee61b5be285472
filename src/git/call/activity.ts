/** What goes on in a working copy, as git's own files tell without git, where refs are files. */

import { join } from "@std/path";
import { gitDirectory, refsAreFiles } from "../files/directory.ts";
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
  };
}

// Mends the working copy in which a fast-forward was cut off.
//
// Git writes the files first and moves the branch last. Before it begins it makes sure that every file it is
// going to write is as it was committed. So a file that has the new content afterwards, or a part of it, was
// written by git.

/** A file that differs between two commits, with its object in each; null where it is absent. */
interface Moved {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** More files than are looked at one by one. */
const MOST = 2_000;

function parse(output: string): Moved[] {
  const fields = output.split("\0");
  const moved: Moved[] = [];
  // ":100644 100644 OLD NEW M", then the path.
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [fromMode = "", toMode = "", from = "", to = ""] = (fields[at] ?? "").slice(1).split(" ");
    // Submodules belong to other repositories and are left out.
    if (fromMode === "160000" || toMode === "160000") continue;
    moved.push({
      path: fields[at + 1] ?? "",
      before: /^0+$/.test(from) ? null : from,
      after: /^0+$/.test(to) ? null : to,
    });
  }
  return moved;
}

function startsWith(whole: Uint8Array, part: Uint8Array): boolean {
  return part.length <= whole.length && part.every((byte, at) => byte === whole[at]);
}

/** The files that differ between two commits and whose working copy is not as in the first of them. */
async function touched(git: Runner, from: string, to: string): Promise<Moved[]> {
  const read = { access: "read" } as const;
  const moved = parse(
    await git.must(
      ["diff-tree", "-r", "-z", "--no-renames", "--end-of-options", from, to],
      read,
      "compare two commits",
    ),
  );
  if (moved.length === 0) return [];
  const status = await git.must(
    ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching"],
    read,
    "read the status",
  );
  const changed = new Set(status.split("\0").map((line) => line.slice(3)));
  return moved.filter((file) => changed.has(file.path)).slice(0, MOST);
}

/** Whether what stands in a place is the new content, the beginning of it, or nothing: git's work and nobody else's. */
async function isGits(git: Runner, file: Moved, to: string): Promise<boolean> {
  const place = join(git.directory, file.path);
  const info = await git.system.files.lstat(place);
  if (info === null) return true;
  if (file.after === null) return false;
  const coming = await git.run(["cat-file", "--filters", `${to}:${file.path}`], {
    access: "read",
    binary: true,
  });
  if (coming.exitCode !== 0 || coming.truncated || coming.bytes === undefined) return false;
  if (info.kind === "symlink") {
    return await git.system.files.readLink(place) === new TextDecoder().decode(coming.bytes);
  }
  if (info.kind !== "file" || info.size > coming.bytes.length) return false;
  return startsWith(coming.bytes, await git.system.files.readBytes(place) ?? new Uint8Array());
}

/**
 * Brings the files of a cut-off fast-forward from HEAD to `to` back to HEAD, in index and working copy. Files with other
 * content, which somebody must have written since, stay as they are. Answers the paths of both: those that were brought
 * back, and those that were left. At least two processes.
 */
export async function mendFastForward(
  git: Runner,
  to: string,
): Promise<{ readonly mended: readonly string[]; readonly left: readonly string[] }> {
  const files = await touched(git, "HEAD", to);
  const mine: Moved[] = [];
  const left: string[] = [];
  for (const file of files) {
    if (await isGits(git, file, to)) mine.push(file);
    else left.push(file.path);
  }
  if (mine.length === 0) return { mended: [], left };
  const write = { access: "internal" } as const;
  const paths = (list: readonly Moved[]) => list.map((file) => `${file.path}\0`).join("");
  await git.must(
    ["reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul", "HEAD"],
    { ...write, stdin: mine.map((file) => `:(top,literal)${file.path}\0`).join("") },
    "bring the index back",
  );
  for (const file of mine.filter(({ before }) => before === null)) {
    await git.system.files.remove(join(git.directory, file.path));
  }
  const known = mine.filter(({ before }) => before !== null);
  if (known.length > 0) {
    await git.must(
      ["checkout-index", "--force", "--quiet", "-z", "--stdin"],
      { ...write, stdin: paths(known) },
      "bring the files back",
    );
  }
  return { mended: mine.map((file) => file.path), left };
}
