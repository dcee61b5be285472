/** Files of a working copy as they are on the disk, never through a symbolic link. */

import { basename, dirname, join } from "@std/path";
import { hash } from "../../base/hash.ts";
import type { System } from "../../base/system/mod.ts";
import type { Entry } from "./view.ts";
import { AmofError } from "../../base/error.ts";
import type { Runner } from "../call/runner.ts";
import type { Staging } from "./staging.ts";

/** What is at a path: an entry with the object of its exact bytes. */
export interface OnDisk extends Entry {
  readonly bytes: Uint8Array;
  readonly permissions: number | null;
}

/** What is at a path: nothing, a directory, something git cannot keep, or a file or link. */
export type Found = null | "directory" | "other" | OnDisk;

/** The file or link at a path; null for anything else. */
export function fileOf(found: Found): OnDisk | null {
  return found === null || typeof found === "string" ? null : found;
}

/** The name git gives an object with these bytes; the length of `like`, any name of the repository, tells the hash. */
export function blobName(bytes: Uint8Array, like: string): string {
  return hash(like.length === 64 ? "sha256" : "sha1", `blob ${bytes.length}\0`, bytes);
}

/** Whether every directory on the way to a path is one, and no link. */
async function hasPlainParents(system: System, root: string, path: string): Promise<boolean> {
  const parts = path.split("/").slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const info = await system.files.lstat(join(root, ...parts.slice(0, depth)));
    if (info?.kind !== "directory") return false;
  }
  return true;
}

/** Looks at one path of a working copy. `like` is any object name of the repository. */
export async function readPath(
  system: System,
  root: string,
  path: string,
  like: string,
): Promise<Found> {
  if (!await hasPlainParents(system, root, path)) return null;
  const full = join(root, path);
  const info = await system.files.lstat(full);
  if (info === null) return null;
  if (info.kind === "directory" || info.kind === "other") return info.kind;
  if (info.kind === "symlink") {
    const target = await system.files.readLink(full);
    if (target === null) return null;
    const bytes = new TextEncoder().encode(target);
    return { mode: "120000", oid: blobName(bytes, like), bytes, permissions: null };
  }
  const bytes = await system.files.readBytes(full, info.size);
  if (bytes === null) return null;
  const executable = info.mode !== null && (info.mode & 0o100) !== 0;
  return {
    mode: executable ? "100755" : "100644",
    oid: blobName(bytes, like),
    bytes,
    permissions: info.mode === null ? null : info.mode & 0o777,
  };
}

/** Removes directories that became empty, from one upwards, never the root itself. */
export async function removeEmpty(system: System, root: string, path: string): Promise<void> {
  for (let at = dirname(path); at !== "." && at !== ""; at = dirname(at)) {
    const full = join(root, at);
    if ((await system.files.lstat(full))?.kind !== "directory") continue;
    if ((await system.files.list(full)).length > 0) return;
    await system.files.remove(full);
  }
}

// Files of a working copy that are removed and moved into place, whole, where nothing else is in the way. What somebody
// writes between the look and the move is never among what goes.

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
export async function obstructingPaths(git: Runner, moves: readonly Move[]): Promise<string[]> {
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

/** The error of a file that somebody writes while it is moved. */
export function written({ name: repo }: Pick<Runner, "name">, path: string): AmofError {
  return new AmofError(
    "would_lose_work",
    `Cannot put "${repo}" in order: ${path} changes while it is written`,
    { hint: "End what else writes there", details: { repo, path } },
  );
}

function isSame(now: Found, seen: OnDisk): boolean {
  const file = fileOf(now);
  return file?.oid === seen.oid && file.mode === seen.mode;
}

/** Gives a file that was taken away its name again, or the next one that is free. */
async function giveBack({ system: { files } }: Runner, place: string, target: string) {
  for (let next = 0;; next++) {
    const path = next === 0 ? target : `${target}.${next}`;
    if (await files.link(place, path)) return;
    if (await files.lstat(path) === null) return await files.rename(place, path);
  }
}

/** Removes a file if it still is what was seen there: it is looked at where nobody finds it any more. */
async function takeAway(staging: Staging, path: string, seen: OnDisk): Promise<void> {
  const { git } = staging;
  const { system: { files } } = git;
  const target = join(git.directory, path);
  if (await files.lstat(target) === null) return;
  const place = staging.free();
  await files.rename(target, place);
  const now = await readPath(git.system, dirname(place), basename(place), seen.oid);
  if (!isSame(now, seen)) {
    await giveBack(git, place, target);
    throw written(git, path);
  }
  await files.remove(place);
}

/** Moves a file into place: over what was seen there, or where there was nothing. */
async function moveIn(
  staging: Staging,
  path: string,
  { place, seen }: { readonly place: string; readonly seen: OnDisk | null },
): Promise<void> {
  const { git } = staging;
  const { system: { files }, directory: root } = git;
  const target = join(root, path);
  if (seen !== null) {
    // Under another name the file that is written over is still there to be looked at afterwards.
    const former = staging.free();
    const isKept = seen.mode !== "120000" && await files.link(target, former);
    if (!isSame(await readPath(git.system, root, path, seen.oid), seen)) throw written(git, path);
    await files.rename(place, target);
    if (!isKept) return;
    if (isSame(await readPath(git.system, dirname(former), basename(former), seen.oid), seen)) {
      return void await files.remove(former);
    }
    await files.rename(former, target);
    throw written(git, path);
  }
  // Another name is given only where there is none yet.
  if (await files.link(place, target)) return void await files.remove(place);
  if (await files.lstat(target) !== null) throw written(git, path);
  await files.rename(place, target);
}

/**
 * Removes the files that are not wanted, and moves those into place that are; `places` says where each was made. Throws
 * `would_lose_work` at the first that is not any more what was found there, and leaves it.
 */
export async function moveFiles(
  staging: Staging,
  moves: readonly Move[],
  places: ReadonlyMap<string, string>,
): Promise<void> {
  const { directory: root, system } = staging.git;
  const { files } = system;
  const leaving = moves.filter(({ wanted, file }) => !wanted && file !== null);
  for (const { path, file } of leaving) {
    if (file !== null) await takeAway(staging, path, file);
  }
  for (const { path } of leaving) await removeEmpty(system, root, path);
  for (const { path, found, file, wanted, there } of moves) {
    if (!wanted || there) continue;
    const target = join(root, path);
    // A directory in the way is removed only if it is empty by now.
    if (found === "directory") await removeEmpty(system, root, `${path}/-`);
    await files.makeDirectory(dirname(target));
    const place = places.get(path);
    if (place === undefined) throw new TypeError(`Nothing was made for ${path}`);
    await moveIn(staging, path, { place, seen: file });
  }
}
