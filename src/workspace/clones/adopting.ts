/**
 * Which clones a workspace reaches through links that lead out of it (ADOPT-1), and which workspace has adopted
 * a clone. Nothing in the clone itself says so (ADOPT-3).
 *
 * That is recorded in the git directory of the working copy, where no checkout can write. A link alone, which
 * may come from anybody, is refused.
 */

import { basename, dirname, join } from "@std/path";
import { Git } from "../../git/mod.ts";
import { isBelow } from "../../base/paths.ts";
import type { System } from "../../base/system/mod.ts";
import { fieldsOf, jsonIn } from "../../base/object.ts";
import { shellWord } from "../../base/text/words.ts";

/** Places in the workspace with the directories that their links lead to. */
type Adopted = Readonly<Record<string, string>>;

/** Where the record is in a git directory. */
export function recordBelow(gitDirectory: string): string {
  return join(gitDirectory, "amof", "adopted.json");
}

/**
 * Where the record of a workspace is; null where there is none. A workspace that was moved with its control repository has
 * a link to the old place, and its record with that repository, which is around it. No process.
 */
export async function adoptedFile(system: System, workspace: string): Promise<string | null> {
  const directory = await new Git(system).at(workspace).gitDirectory();
  if (directory === null || await system.files.exists(directory)) {
    return directory === null ? null : recordBelow(directory);
  }
  for (let at = dirname(workspace); dirname(at) !== at; at = dirname(at)) {
    const common = await new Git(system).at(at).commonDirectory();
    if (common !== null) return recordBelow(join(common, "worktrees", basename(directory)));
  }
  return null;
}

/** Reads the text of a record. */
export function readAdopted(text: string | null): Adopted {
  // Without a record that can be read no link is followed out of the workspace.
  const clones = fieldsOf(fieldsOf(jsonIn(text ?? ""))["clones"]);
  return Object.fromEntries(
    Object.entries(clones).filter((entry): entry is [string, string] =>
      typeof entry[1] === "string"
    ),
  );
}

/** The clones that a workspace has adopted: places relative to it, with absolute directories. No process. */
export async function adoptedBy(system: System, workspace: string): Promise<Adopted> {
  const file = await adoptedFile(system, workspace);
  return file === null ? {} : readAdopted(await system.files.readText(file));
}

/**
 * The workspace of a control repository that has adopted the clone in which a directory lies; null where none has.
 * Both directories are absolute and without links. No process.
 */
export async function adoptingWorkspace(
  system: System,
  root: string,
  directory: string,
): Promise<string | null> {
  const common = await new Git(system).at(root).commonDirectory();
  if (common === null) return null;
  const worktrees = join(common, "worktrees");
  for (const { name } of await system.files.list(worktrees)) {
    const text = await system.files.readText(recordBelow(join(worktrees, name)));
    const places = text === null ? [] : Object.values(readAdopted(text));
    if (!places.some((place) => place === directory || isBelow(place, directory))) continue;
    const gitFile = await system.files.readText(join(worktrees, name, "gitdir"));
    if (gitFile !== null) return dirname(gitFile.trim());
  }
  return null;
}

/** The first of some control repositories that has adopted the clone which a directory lies in; null where none has. */
export async function adopterOf(
  system: System,
  roots: readonly string[],
  directory: string,
): Promise<string | null> {
  for (const root of roots) {
    const isThere = (await system.files.stat(join(root, "ecosystems")))?.kind === "directory";
    if (isThere && await adoptingWorkspace(system, root, directory) !== null) return root;
  }
  return null;
}

/** What a workspace had adopted whose directory is gone, as far as git still knows of it. No process. */
async function adoptedOnce(system: System, root: string, workspace: string): Promise<Adopted> {
  const common = await new Git(system).at(root).commonDirectory();
  const worktrees = join(common ?? root, "worktrees");
  for (const { name } of common === null ? [] : await system.files.list(worktrees)) {
    const gitFile = await system.files.readText(join(worktrees, name, "gitdir"));
    if (dirname((gitFile ?? "").trim()) !== workspace) continue;
    return readAdopted(await system.files.readText(recordBelow(join(worktrees, name))));
  }
  return {};
}

/** The flag with which an install uses clones again that stay where they are, and clones them not once more. */
export function adoptFlag(adopted: Adopted): string {
  const places = Object.values(adopted).map((place) => dirname(place));
  return places.length === 0 ? "" : ` --adopt ${shellWord(commonOf(places))}`;
}

/** The innermost directory that all of some are in. */
function commonOf(directories: readonly string[]): string {
  const [first = "", ...others] = directories;
  const isCommon = others.every((other) => isBelow(first, other));
  return isCommon || dirname(first) === first ? first : commonOf([dirname(first), ...others]);
}

/** How a workspace comes back whose directory is gone, and what its error tells programs of that. No process. */
export async function restoreSteps(
  system: System,
  root: string,
  { name, directory }: { readonly name: string; readonly directory: string },
): Promise<{ readonly hint: string; readonly details: { repair: true; adopted: boolean } }> {
  const adopted = await adoptedOnce(system, root, directory);
  const install = `amof -e ${name} install --repair`;
  const isAdopted = Object.keys(adopted).length > 0;
  return {
    hint: isAdopted
      ? `Use the clones again that it had adopted: ${install}${
        adoptFlag(adopted)
      }\nOr clone all of them anew: ${install}`
      : `Install it: ${install}`,
    details: { repair: true, adopted: isAdopted },
  };
}
