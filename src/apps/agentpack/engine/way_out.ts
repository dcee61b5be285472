/**
 * Linked directories between a root and a file: one that leads out of the root is written through by nobody (PACK-31).
 */

import { dirname, join } from "@std/path";
import { isBelow, pathBelow } from "../../../base/paths.ts";
import type { Files } from "../../../base/system/mod.ts";
import { ioError } from "../io.ts";

/** A file below a root. */
interface Placed {
  readonly root: string;
  readonly path: string;
}

/** The link above a file that leads out of its root, or null. The root itself may be a link, and so may what is above it. */
async function wayOut(files: Files, { root, path }: Placed): Promise<string | null> {
  const realRoot = await files.realPath(root);
  if (realRoot === null) return null;
  let at = root;
  for (const part of (pathBelow(root, path) ?? "").split("/").slice(0, -1)) {
    at = join(at, part);
    const info = await files.lstat(at);
    if (info === null) return null;
    if (info.kind !== "symlink") continue;
    const real = await files.realPath(at);
    if (real === null || !isBelow(realRoot, real)) return at;
  }
  return null;
}

/** Refuses a path that is not below its root, or that a link leads out of it. Throws `E_IO_INVALID_PATH`. */
export async function refuseWayOut(files: Files, root: string, path: string): Promise<void> {
  const facts = { path, kind: "invalid_path" } as const;
  if (pathBelow(root, path) === null) {
    throw ioError("E_IO_INVALID_PATH", `"${path}" is not below "${root}"`, facts);
  }
  const link = await wayOut(files, { root, path });
  if (link === null) return;
  throw ioError(
    "E_IO_INVALID_PATH",
    `Cannot use "${path}": the link "${link}" leads out of "${root}"`,
    { ...facts, hint: "Move the link away: a deploy makes a directory in its place" },
  );
}

/** What people should know of changes of which a link would make a deploy fail, once for each link. */
export async function wayOutWarnings(files: Files, changes: readonly Placed[]): Promise<string[]> {
  const links = new Map<string, string>();
  const looked = new Set<string>();
  for (const { root, path } of changes) {
    if (looked.has(dirname(path))) continue;
    looked.add(dirname(path));
    const link = await wayOut(files, { root, path });
    if (link !== null) links.set(link, root);
  }
  return [...links].map(([link, root]) =>
    `"${link}" is a link that leads out of "${root}"; no deploy writes through it, move it away first`
  );
}
