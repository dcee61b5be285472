/** What the system notes of many files, read at once. */

import process from "node:process";

/** Linux' numbers for bcachefs, btrfs, ext2 to ext4, f2fs, overlay, tmpfs, xfs and zfs. */
const LOCAL = [
  0xca451a4e,
  0x9123683e,
  0xef53,
  0xf2f52010,
  0x794c7630,
  0x01021994,
  0x58465342,
  0x2fc12fc1,
];

/** See `Files.isLocal`. The list of mounts cannot be read by a program that has given up some of its rights. */
export function isLocal(path: string): boolean {
  try {
    const { type } = process.getBuiltinModule("node:fs").statfsSync(path);
    return Deno.build.os === "linux" && LOCAL.includes(type >>> 0);
  } catch {
    return false;
  }
}

/** What the system notes of one path, as {@linkcode ../files.ts} describes it. */
function stampOf(path: string): string {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(path);
  } catch (error) {
    const isAbsent = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isAbsent) return "-";
    throw error;
  }
  const { mode, dev, ino, size, uid, mtime, ctime } = info;
  return `${mode} ${dev} ${ino} ${size} ${uid} ${mtime?.getTime() ?? "?"} ${
    ctime?.getTime() ?? "?"
  }`;
}

/** See `Files.stamps`. */
export function stampsOf(directory: string, paths: readonly string[]): string {
  const below = directory.endsWith("/") ? directory : `${directory}/`;
  let text = "";
  for (const path of paths) text += `${stampOf(path.startsWith("/") ? path : below + path)}\n`;
  return text;
}

/** See `Files.tree`; nothing where there is no directory. */
export function treeOf(
  directory: string,
  most: number,
  shut?: string,
): readonly string[] | null {
  const found: string[] = [];
  const waiting = [""];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    let entries: readonly Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(`${directory}/${at}`)];
    } catch (error) {
      if (at === "" && error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
    for (const { name, isDirectory } of entries) {
      if (found.length >= most) return null;
      found.push(at + name);
      if (isDirectory && name !== shut) waiting.push(`${at}${name}/`);
    }
  }
  return found;
}
