/** Files of the machine. */

import { dirname } from "@std/path";
import { defined } from "../../object.ts";
import { hasher } from "../../hash.ts";
import { ioErrorFacts } from "../../io_error.ts";
import type { FileInfo, Files } from "../mod.ts";
import {
  areAbsent,
  entriesOf,
  infoOf,
  isLocal,
  isMountedReadOnly,
  isThere,
  kindOf,
  smallBytes,
  smallText,
  stampsOf,
  treeOf,
} from "./stamps.ts";
import { replaceFile, withScratch } from "./replace.ts";

/** Up to so many bytes a file is read at once. */
const SMALL = 64 * 1024;

/** Whether an error says that a path does not lead anywhere. */
function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/**
 * A look at the file system. Looking takes microseconds when it blocks, and a multiple of that when it
 * travels through the thread pool, which is what a status of many repositories would feel.
 */
function look<T>(work: () => T): Promise<T | null> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return isAbsent(error) ? Promise.resolve(null) : Promise.reject(error);
  }
}

/** A pipe would block everything. */
function isSmallFile(path: string): boolean {
  const { kind, size } = stat(path);
  return kind === "file" && size <= SMALL;
}

function toInfo(info: Deno.FileInfo): FileInfo {
  return {
    kind: kindOf(info),
    size: info.size,
    mode: info.mode === null ? null : info.mode & 0o7777,
    modifiedMs: info.mtime?.getTime() ?? null,
  };
}

/** Throws what the runtime throws where nothing is, or nothing can be told of it. */
function stat(path: string): FileInfo {
  return infoOf(path, true) ?? toInfo(Deno.statSync(path));
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** So much of a large file is in memory at once. */
const PIECE = 1024 * 1024;

/** Hashes a file piece by piece, each of which is also given to `take`. */
async function hashFile(
  path: string,
  take: (piece: Uint8Array) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  using file = await Deno.open(path, { read: true });
  const digest = hasher("sha256");
  const piece = new Uint8Array(PIECE);
  for (let size = await file.read(piece); size !== null; size = await file.read(piece)) {
    const read = piece.subarray(0, size);
    digest.update(read);
    await take(read);
  }
  return digest.digest("hex");
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await file.write(bytes.subarray(written));
  }
}

/**
 * Lets a file be filled that was just made, and closes it. A file that cannot be filled, as on a full disk, is
 * removed. Its beginning could be taken for the whole of it, and an empty lock for one that somebody holds.
 */
async function filling<T>(
  path: string,
  file: Deno.FsFile,
  fill: () => T | Promise<T>,
): Promise<T> {
  let filled = false;
  try {
    const result = await fill();
    filled = true;
    return result;
  } finally {
    file.close();
    if (!filled) await Deno.remove(path).catch(() => {});
  }
}

async function copyNew(
  from: string,
  path: string,
  mode: number | undefined,
  flush = true,
): Promise<string> {
  const file = await Deno.open(path, { write: true, createNew: true, ...defined({ mode }) });
  return await filling(path, file, async () => {
    const hash = await hashFile(from, (piece) => writeAll(file, piece));
    if (mode !== undefined && Deno.build.os !== "windows") await Deno.chmod(path, mode);
    if (flush) await file.sync();
    return hash;
  });
}

async function writeNew(
  path: string,
  bytes: Uint8Array,
  mode: number | undefined,
  flush = true,
): Promise<void> {
  const file = await Deno.open(path, { write: true, createNew: true, ...defined({ mode }) });
  await filling(path, file, async () => {
    await writeAll(file, bytes);
    // The umask may have narrowed the mode that was asked for.
    if (mode !== undefined && Deno.build.os !== "windows") await Deno.chmod(path, mode);
    if (flush) await file.sync();
  });
}

/** As with looks: a small file that need not be flushed is written sooner than the thread pool would begin to. */
function writeSmall(path: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const file = Deno.openSync(path, { write: true, createNew: true, ...defined({ mode }) });
  return filling(path, file, () => {
    for (let written = 0; written < bytes.length;) {
      written += file.writeSync(bytes.subarray(written));
    }
    if (mode !== undefined && Deno.build.os !== "windows") Deno.chmodSync(path, mode);
  });
}

async function readPiece(path: string, from: number, most: number): Promise<Uint8Array> {
  using file = await Deno.open(path, { read: true });
  await file.seek(from, Deno.SeekMode.Start);
  const piece = new Uint8Array(most);
  let filled = 0;
  for (let size: number | null = 0; size !== null && filled < most; filled += size ?? 0) {
    size = await file.read(piece.subarray(filled));
  }
  return piece.subarray(0, filled);
}

/** How long a lock may take where it can only be waited for: without a holder it takes no time. */
const LOCK_MS = 1_000;

/** Takes the lock of an open file and answers true; or closes it and answers false when another holds it. */
export async function tryLock(
  file: Pick<Deno.FsFile, "lock" | "unlock" | "close"> & {
    readonly tryLock?: Deno.FsFile["tryLock"];
  },
  patienceMs = LOCK_MS,
): Promise<boolean> {
  if (file.tryLock !== undefined) {
    const locked = await file.tryLock(true);
    if (!locked) file.close();
    return locked;
  }
  // Older runtimes, which compiled programs may be made of, can only wait.
  const locking = file.lock(true);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs);
  });
  const locked = await Promise.race([locking.then(() => true), tooLong]);
  clearTimeout(timer);
  if (!locked) {
    // A waiting lock cannot be cancelled; if it comes too late, it is released at once.
    locking.then(() => file.unlock()).finally(() => file.close()).catch(() => {});
  }
  return locked;
}

/** The files of this machine. */
export const realFiles: Files = {
  async readText(path) {
    const small = await look(() =>
      isSmallFile(path) ? { text: smallText(path) ?? Deno.readTextFileSync(path) } : "not small"
    );
    return small === "not small" ? await orNull(Deno.readTextFile(path)) : small?.text ?? null;
  },
  async readBytes(path, size) {
    // As with looks: a small file is read sooner than the thread pool would begin to.
    const small = await look(() => {
      const isSmall = size === undefined ? isSmallFile(path) : size <= SMALL;
      return isSmall ? smallBytes(path) ?? Deno.readFileSync(path) : "not small" as const;
    });
    return small === "not small" ? await orNull(Deno.readFile(path)) : small;
  },
  readPiece: (path, from, most) => orNull(readPiece(path, from, most)),
  hash: (path) => orNull(hashFile(path)),
  exists: (path) => Promise.resolve(isThere(path)),
  stat: (path) => look(() => stat(path)),
  lstat: (path) => look(() => infoOf(path, false) ?? toInfo(Deno.lstatSync(path))),
  realPath: (path) => look(() => Deno.realPathSync(path)),
  readLink: (path) => look(() => Deno.readLinkSync(path)),

  async list(path) {
    const entries = await look(() => entriesOf(path)) ?? [];
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  },

  tree: async (directory, most, shut) => await look(() => treeOf(directory, most, shut)),
  areAbsent: (directory, paths) => Promise.resolve(areAbsent(directory, paths)),
  isLocal: (path) => Promise.resolve(isLocal(path)),
  stamps: (directory, paths) => Promise.try(stampsOf, directory, paths),

  async append(path, content, { mode } = {}) {
    using file = await Deno.open(path, { append: true, create: true, ...defined({ mode }) });
    await writeAll(file, toBytes(content));
  },

  write: (path, content, options = {}) =>
    replaceFile(
      path,
      options.mode,
      (temporary, mode) => writeNew(temporary, toBytes(content), mode),
    ),

  async create(path, content, options = {}) {
    const bytes = toBytes(content);
    const isSmall = bytes.length <= SMALL && options.flush === false;
    const write = () =>
      isSmall
        ? writeSmall(path, bytes, options.mode)
        : writeNew(path, bytes, options.mode, options.flush);
    try {
      await write();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      await Deno.mkdir(dirname(path), { recursive: true });
      await write();
    }
    if (options.modifiedMs !== undefined) {
      await Deno.utime(path, new Date(), new Date(options.modifiedMs));
    }
  },

  async copy(from, path, options = {}) {
    await Deno.mkdir(dirname(path), { recursive: true });
    return await copyNew(from, path, options.mode, options.flush);
  },

  async duplicate(from, path) {
    await Deno.mkdir(dirname(path), { recursive: true });
    if (await look(() => Deno.lstatSync(path)) !== null) {
      throw new Deno.errors.AlreadyExists(`File exists (os error 17): copy to '${path}'`);
    }
    // The system copies it (`copy_file_range`, `clonefile`): no byte comes here, and blocks are shared where they can be.
    await Deno.copyFile(from, path);
  },

  async makeDirectory(path, options = {}) {
    const info = await look(() => Deno.statSync(path));
    if (info?.isDirectory === true) return false;
    await Deno.mkdir(path, { recursive: true, ...options });
    return info === null;
  },

  // deno-lint-ignore require-await -- failures are rejections, as everywhere
  async rename(from, to) {
    Deno.renameSync(from, to);
  },
  async link(file, path) {
    try {
      await Deno.link(file, path);
      return true;
    } catch (error) {
      if (ioErrorFacts(error)?.kind === "disk_full") throw error;
      return false;
    }
  },
  symlink: (target, path) => Deno.symlink(target, path),

  isReadOnly: (path) => Promise.resolve(isMountedReadOnly(path)),

  async isWritable(path) {
    try {
      const { access, constants } = await import("node:fs/promises");
      await access(path, constants.W_OK);
    } catch {
      return false;
    }
    return !isMountedReadOnly(path);
  },

  watch(directories, callback) {
    const there = directories.filter((path) => {
      try {
        return Deno.statSync(path).isDirectory;
      } catch {
        return false;
      }
    });
    if (there.length === 0) return () => {};
    let watcher: Deno.FsWatcher;
    try {
      watcher = Deno.watchFs(there, { recursive: false });
    } catch {
      // The system tells only so many programs of so many directories.
      return () => {};
    }
    const listen = async () => {
      for await (const { kind } of watcher) if (kind !== "access") callback();
    };
    listen().catch(() => {});
    return () => watcher.close();
  },

  scratch: withScratch,

  async flushDirectory(path) {
    // Windows has no such operation; a rename is on the disk there when it returns.
    if (Deno.build.os === "windows") return;
    // Not by `using`: a bundler that puts the only use of a name in its place leaves nothing there to be closed.
    const directory = await Deno.open(path, { read: true });
    try {
      await directory.sync();
    } finally {
      directory.close();
    }
  },

  async lock(path) {
    await Deno.mkdir(dirname(path), { recursive: true });
    const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
    let mine = false;
    try {
      mine = await tryLock(file);
      if (!mine) return null;
      await file.truncate(0);
      // The note is for others to read; on a full disk the lock is one without it.
      await file.write(toBytes(`${Deno.pid}\n`)).catch((error) => {
        if (ioErrorFacts(error)?.kind !== "disk_full") throw error;
      });
    } catch (error) {
      file.close();
      throw error;
    }
    let held = true;
    return {
      async release() {
        if (!held) return;
        held = false;
        try {
          await file.truncate(0);
        } finally {
          // A program that is just being started holds a copy of the open file until it begins; closing ours
          // alone would leave the lock with it.
          await file.unlock();
          file.close();
        }
      },
    };
  },

  async remove(path) {
    return await orNull(Deno.remove(path).then(() => true)) ?? false;
  },

  async removeTree(path) {
    return await orNull(Deno.remove(path, { recursive: true }).then(() => true)) ?? false;
  },
};
