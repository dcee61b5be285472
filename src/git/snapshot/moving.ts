/**
 * Files of a working copy that are removed and moved into place, whole, where nothing else is in the way.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import type { Runner } from "../runner.ts";
import { type Found, type OnDisk, removeEmpty } from "./disk.ts";

/** What is to become of one path. */
export interface Move {
  readonly path: string;
  readonly found: Found;
  /** What is there, where that is a file or a link. */
  readonly file: OnDisk | null;
  /** Whether there is to be a file. */
  readonly wanted: boolean;
  /** Whether it is there already as it should be. */
  readonly there: boolean;
}

/** Paths at which something else is in the way of what is to be written. */
export async function inTheWay(git: Runner, moves: readonly Move[]): Promise<string[]> {
  const { directory: root } = git;
  const { files } = git.system;
  const leaving = new Set(
    moves.filter(({ wanted, file }) => !wanted && file !== null).map(({ path }) => path),
  );
  const holdsOnly = async (directory: string): Promise<boolean> => {
    for (const { name, kind } of await files.list(join(root, directory))) {
      const inside = `${directory}/${name}`;
      if (kind === "directory" ? !await holdsOnly(inside) : !leaving.has(inside)) return false;
    }
    return true;
  };
  const found: string[] = [];
  for (const { path, found: there, wanted, there: done } of moves) {
    if (!wanted || done) continue;
    if (there === "directory" && !await holdsOnly(path)) found.push(path);
    for (let at = dirname(path); at !== "."; at = dirname(at)) {
      const info = await files.lstat(join(root, at));
      if (info !== null && info.kind !== "directory" && !leaving.has(at)) found.push(at);
    }
  }
  return found;
}

/** Removes the files that are not wanted, and moves those into place that are; `places` says where each was made. */
export async function moveFiles(
  git: Runner,
  moves: readonly Move[],
  places: ReadonlyMap<string, string>,
): Promise<void> {
  const { directory: root, system } = git;
  const { files } = system;
  const leaving = moves.filter(({ wanted, file }) => !wanted && file !== null);
  for (const { path } of leaving) await files.remove(join(root, path));
  for (const { path } of leaving) await removeEmpty(system, root, path);
  for (const { path, found, wanted, there } of moves) {
    if (!wanted || there) continue;
    const target = join(root, path);
    // A directory in the way is removed only if it is empty by now.
    if (found === "directory") await removeEmpty(system, root, `${path}/-`);
    await files.makeDirectory(dirname(target));
    const place = places.get(path);
    if (place === undefined) throw new TypeError(`Nothing was made for ${path}`);
    await files.rename(place, target);
  }
}
