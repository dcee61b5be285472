/**
 * A world whose files share a disk of a limited size.
 *
 * @module
 */

import { join } from "@std/path";
import type { Files, System } from "../../src/base/system/mod.ts";

/** The disk of some directories. */
export interface SmallDisk {
  readonly system: System;
  /** Bytes that fit on it; may be set anew at any time. */
  capacity: number;
  /** Bytes that lie on it. */
  used(): Promise<number>;
}

async function sizeOf(files: Files, path: string): Promise<number> {
  const info = await files.lstat(path);
  if (info?.kind !== "directory") return info?.size ?? 0;
  let size = 0;
  for (const { name } of await files.list(path)) size += await sizeOf(files, join(path, name));
  return size;
}

/** What the system throws when a disk is full. */
function noSpace(path: string): Error {
  return Object.assign(new Error(`No space left on device (os error 28): write '${path}'`), {
    code: "ENOSPC",
  });
}

/** Wraps a world: what is written below `directories` has to fit; what does not is written by half. */
export function smallDisk(system: System, directories: readonly string[]): SmallDisk {
  const { files } = system;
  const disk = {
    capacity: Infinity,
    async used(): Promise<number> {
      let size = 0;
      for (const directory of directories) size += await sizeOf(files, directory);
      return size;
    },
  };
  const lies = (path: string) => directories.some((directory) => path.startsWith(`${directory}/`));
  const fits = async (path: string, content: { readonly length: number }): Promise<boolean> =>
    !lies(path) || await disk.used() + content.length <= disk.capacity;
  const small: Files = {
    ...files,
    async write(path, content, options) {
      // As on a real disk, the old file is still there while the new one is written beside it.
      if (!await fits(path, content)) throw noSpace(path);
      await files.write(path, content, options);
    },
    async copy(from, path, options) {
      const size = (await files.stat(from))?.size ?? 0;
      if (await fits(path, { length: size })) return await files.copy(from, path, options);
      await files.create(path, "half", options);
      throw noSpace(path);
    },
    async duplicate(from, path) {
      const size = (await files.stat(from))?.size ?? 0;
      if (await fits(path, { length: size })) return await files.duplicate(from, path);
      await files.create(path, "half");
      throw noSpace(path);
    },
    async create(path, content, options) {
      if (await fits(path, content)) return await files.create(path, content, options);
      const room = Math.max(0, disk.capacity - await disk.used());
      await files.create(path, content.slice(0, Math.min(room, content.length - 1)), options);
      throw noSpace(path);
    },
  };
  return Object.assign(disk, { system: { ...system, files: small } });
}
