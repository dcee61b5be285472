/** Finds the workspace that has adopted a clone, from the clone: nothing in the clone itself says so (ADOPT-3). */

import { dirname, join } from "@std/path";
import { Git } from "../../git/mod.ts";
import { isBelow } from "../../base/paths.ts";
import type { System } from "../../base/system/mod.ts";
import { readAdopted, recordBelow } from "./adopted_record.ts";

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
