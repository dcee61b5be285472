/** The lock files that a git which was killed leaves behind, and that would stop every later one. */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { commonDirectory, gitDirectory } from "./directory.ts";

/** Times of files are rounded, on some file systems to two seconds; then they are whole seconds. */
const ROUNDING_MS = 2_000;
/** The clock by which systems stamp files may be a tick or a few behind. */
const TICKS_MS = 50;

/** A lock that is older, in milliseconds, was probably left by a git that is gone, so nobody waits for it. */
export const LEFT_MS = 60_000;

/** When the git that is known to be dead was at work, in milliseconds since the epoch. */
export interface Lifetime {
  readonly from: number;
  readonly to: number;
}

/** Lock files in a directory; with `deep` also in those below it. */
async function locksIn(system: System, directory: string, deep: boolean): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await system.files.list(directory)) {
    const path = join(directory, name);
    if (kind === "file" && name.endsWith(".lock")) found.push(path);
    else if (deep && kind === "directory") found.push(...await locksIn(system, path, true));
  }
  return found;
}

/**
 * Removes the locks on index, refs and configuration of a repository that were made while a git was at work there
 * of which nothing lives any more; answers them. Locks from other times belong to somebody else and stay. No process.
 */
export async function removeStaleLocks(
  system: System,
  path: string,
  { from, to }: Lifetime,
): Promise<string[]> {
  const own = await gitDirectory(system, path);
  const common = await commonDirectory(system, path);
  if (own === null || common === null) return [];
  const candidates = [
    ...await locksIn(system, own, false),
    ...own === common ? [] : await locksIn(system, common, false),
    ...await locksIn(system, join(common, "refs"), true),
    ...await locksIn(system, join(common, "logs"), true),
    ...await locksIn(system, join(common, "reftable"), false),
    ...own === common ? [] : await locksIn(system, join(own, "reftable"), false),
  ];
  const removed: string[] = [];
  for (const file of candidates) {
    const at = (await system.files.lstat(file))?.modifiedMs ?? null;
    const about = at !== null && at % 1_000 === 0 ? ROUNDING_MS : TICKS_MS;
    if (at === null || at < from - about || at > to + about) continue;
    if (await system.files.remove(file)) removed.push(file);
  }
  return removed;
}
