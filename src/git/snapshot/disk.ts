/** Files of a working copy as they are on the disk, never through a symbolic link. */

import { dirname, join } from "@std/path";
import { hash } from "../../base/hash.ts";
import type { System } from "../../base/system/mod.ts";
import type { Entry } from "./view.ts";

/** What is at a path: an entry with the object of its exact bytes. */
export interface OnDisk extends Entry {
  readonly bytes: Uint8Array;
  readonly permissions: number | null;
}

/** What is at a path: nothing, a directory, something git cannot keep, or a file or link. */
export type Found = null | "directory" | "other" | OnDisk;

/** The name git gives an object with these bytes; the length of `like`, any name of the repository, tells the hash. */
export function blobName(bytes: Uint8Array, like: string): string {
  return hash(like.length === 64 ? "sha256" : "sha1", `blob ${bytes.length}\0`, bytes);
}

/** Whether every directory on the way to a path is one, and no link. */
async function isPlainWay(system: System, root: string, path: string): Promise<boolean> {
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
  if (!await isPlainWay(system, root, path)) return null;
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
