/** What the system notes of many files, read at once. */

import process from "node:process";
import { type FileInfo, STAMP_LENGTH } from "../files.ts";
import { calls, cString } from "./libc.ts";

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

/** Something in a directory. */
interface Entry {
  /** With U+FFFD where its bytes are no UTF-8: it cannot be reached by that. */
  readonly name: string;
  /** A directory that cannot be reached is `other`, for nobody can say that nothing is in it. */
  readonly kind: FileInfo["kind"];
}

const KINDS: Readonly<Record<number, FileInfo["kind"]>> = {
  4: "directory",
  8: "file",
  10: "symlink",
};
/** What the system says where the file system keeps no kinds beside the names. */
const UNKNOWN = 0;
const IS_ARM = Deno.build.arch === "aarch64";
const CLOSE_ON_EXEC = 0o2000000;
const NON_BLOCKING = 0o4000;
const OPEN_DIRECTORY = CLOSE_ON_EXEC | (IS_ARM ? 0o40000 : 0o200000);
/** A directory that is only gone by, which needs no right to read it (`O_PATH`). */
const OPEN_PLACE = OPEN_DIRECTORY | 0o10000000;
const GETDENTS64 = IS_ARM ? 61n : 217n;
const STATX = IS_ARM ? 291n : 332n;
/** Links are not followed, and an empty name is the directory itself. */
const FLAGS = 0x1100;
/** The same where links are followed. */
const FOLLOWING = 0x1000;
/** Mode, owner, times, inode and size. */
const NOTED = 0x3ff;

const buffer = new Uint8Array(64 * 1024);
const LENGTH = BigInt(buffer.length);
/** The same, four bytes a number. */
const words = new Int32Array(buffer.buffer);
/** Room for one name; longer ones the system takes from nobody. */
const asked = new Uint8Array(4_096);
const encoder = new TextEncoder();
/** With a character for each byte, the ASCII ones as they are. */
const bytewise = new TextDecoder("latin1");
const BEYOND = /[^\0-\x7f]/;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Where in `words` the members of a stamp are after `statx(2)`. */
const MEMBERS = [7, 5, 10, 11, 8, 9, 34, 35, 28, 30, 24, 26];

/** Where the mode, the size and the last change of the content are, the longer ones with their upper half behind. */
const FACTS = [7, 10, 11, 28, 29, 30];

/** Relative to no open directory, which no absolute path is. */
const NOWHERE = -100;

/** Whether the system has noted a path in an open directory, in `words`. */
function isNoted(held: number, path: string, flags: number, members: number): boolean {
  const { read } = encoder.encodeInto(`${path}\0`, asked);
  return read > path.length && !path.includes("\0") &&
    calls?.note(STATX, held, asked, flags, members, buffer) === 0;
}

/** What `statx(2)` says a file is, by the highest bits of its mode. */
const FORMATS: Readonly<Record<number, FileInfo["kind"]>> = {
  0o04: "directory",
  0o10: "file",
  0o12: "symlink",
};

/**
 * Facts about a path, or about what it leads to; null where the system cannot be asked itself, or has none. The runtime
 * makes a record with four dates of each file, which takes longer than the answer.
 */
export function infoOf(path: string, follow: boolean): FileInfo | null {
  if (!path.startsWith("/") || !isNoted(NOWHERE, path, follow ? FOLLOWING : FLAGS, NOTED)) {
    return null;
  }
  const [mode = 0, low = 0, high = 0, seconds = 0, epoch = 0, nanoseconds = 0] = FACTS.map((at) =>
    words[at]
  );
  // Before 1970, and from 2038 on, the runtime counts.
  if (epoch !== 0 || seconds < 0) return null;
  return {
    kind: FORMATS[(mode & 0o170000) >> 12] ?? "other",
    size: (low >>> 0) + high * 2 ** 32,
    mode: mode & 0o7777,
    modifiedMs: seconds * 1_000 + Math.floor(nanoseconds / 1e6),
  };
}

/** Opens a directory to go by it; negative where it cannot be. */
function open(directory: string): number {
  return calls?.open(cString(directory), OPEN_PLACE) ?? -1;
}

/** See `Files.exists`. */
export function isThere(path: string, held = NOWHERE): boolean {
  return calls === null
    ? process.getBuiltinModule("node:fs").existsSync(path)
    : isNoted(held, path, FOLLOWING, 0);
}

/** See `Files.areAbsent`. */
export function areAbsent(directory: string, paths: readonly string[]): boolean {
  const held = open(directory);
  try {
    return !paths.some((path) =>
      held >= 0
        ? isThere(path, held)
        : isThere(path.startsWith("/") ? path : `${directory}/${path}`)
    );
  } finally {
    if (held >= 0) calls?.close(held);
  }
}

/** A stamp of what the runtime says of a path; nothing where nothing is. */
function stampOf(path: string): number[] {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(path);
  } catch (error) {
    const isAbsent = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isAbsent) return [];
    throw error;
  }
  const [size, inode] = [info.size, info.ino ?? 0].map((one) => [one, one / 2 ** 32]);
  const content = info.mtime?.getTime() ?? -1_000;
  // It has this time in whole seconds: until that second has ended there may be another change.
  const changed = (info.ctime?.getTime() ?? -2_000) / 1_000 + 1;
  return [
    ...[info.mode ?? 0, info.uid ?? 0, ...size ?? [], ...inode ?? [], info.dev, 0],
    ...[content / 1_000, content % 1_000 * 1e6, changed, 0],
  ];
}

/**
 * See `Files.stamps`. The system itself is asked where that is possible. The runtime shows only the first
 * change within a second. Besides, it makes a record with four dates of each file, which takes longer than the
 * answer.
 */
export function stampsOf(directory: string, paths: readonly string[]): Int32Array {
  const below = directory.endsWith("/") ? directory : `${directory}/`;
  const held = open(directory);
  const stamps = new Int32Array(paths.length * STAMP_LENGTH);
  try {
    let at = 0;
    for (const path of paths) {
      if (held >= 0 && isNoted(held, path, FLAGS, NOTED)) {
        for (let member = 0; member < STAMP_LENGTH; member++) {
          stamps[at + member] = words[MEMBERS[member] ?? 0] ?? 0;
        }
      } else {
        // Why one is not noted the runtime says.
        stamps.set(stampOf(path.startsWith("/") ? path : below + path), at);
      }
      at += STAMP_LENGTH;
    }
    return stamps;
  } finally {
    if (held >= 0) calls?.close(held);
  }
}

/** What a path is. */
export function kindOf(
  entry: { isFile: boolean; isDirectory: boolean; isSymlink: boolean },
): FileInfo["kind"] {
  if (entry.isSymlink) return "symlink";
  if (entry.isDirectory) return "directory";
  return entry.isFile ? "file" : "other";
}

function lookedUp(path: string): FileInfo["kind"] {
  try {
    return kindOf(Deno.lstatSync(path));
  } catch {
    return "other";
  }
}

/** As `getdents64(2)` notes it: after 16 bytes the length of the note, its kind, and the name with a zero byte. */
function take(found: Entry[], path: string, size: number): void {
  // One for all: a call for each takes longer than the system does.
  const all = bytewise.decode(buffer.subarray(0, size));
  for (let at = 0; at < size; at += (buffer[at + 16] ?? 0) | (buffer[at + 17] ?? 0) << 8) {
    const end = all.indexOf("\0", at + 19);
    const plain = all.slice(at + 19, end);
    if (plain === "." || plain === "..") continue;
    const name = BEYOND.test(plain) ? decoder.decode(buffer.subarray(at + 19, end)) : plain;
    const type = buffer[at + 18] ?? UNKNOWN;
    const kind = type === UNKNOWN ? lookedUp(`${path}/${name}`) : KINDS[type] ?? "other";
    found.push({ name, kind: kind === "directory" && name.includes("\uFFFD") ? "other" : kind });
  }
}

/** What the system tells; null where it cannot be asked, or refuses. */
function systemEntries(path: string): Entry[] | null {
  if (calls === null || path.includes("\0")) return null;
  const directory = calls.open(cString(path), OPEN_DIRECTORY);
  if (directory < 0) return null;
  try {
    const found: Entry[] = [];
    for (;;) {
      const size = calls.entries(GETDENTS64, directory, buffer, LENGTH);
      if (size < 0) return null;
      if (size === 0) return found;
      take(found, path, size);
    }
  } finally {
    calls.close(directory);
  }
}

/**
 * What a directory holds, in no order.
 *
 * A compiled program is told by the runtime of no name that is no UTF-8. What is not told could be lost, so on Linux,
 * which has such names, the system itself is asked. Throws what the runtime throws where it cannot be read.
 */
export function entriesOf(path: string): readonly Entry[] {
  return systemEntries(path) ??
    [...Deno.readDirSync(path)].map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
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
    let entries: ReturnType<typeof entriesOf>;
    try {
      entries = entriesOf(`${directory}/${at}`);
    } catch (error) {
      if (at === "" && error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
    for (const { name, kind } of entries) {
      if (found.length >= most) return null;
      found.push(at + name);
      if (kind === "directory" && name !== shut) waiting.push(`${at}${name}/`);
    }
  }
  return found;
}

/** Where the flags of a mount are after `statvfs(3)`, and the one of what is mounted read-only. */
const [MOUNTED, READ_ONLY] = [18, 1];

/**
 * See `Files.isReadOnly`: asking for permission does not tell, because Deno answers that out of the permission bits
 * alone.
 */
export function isMountedReadOnly(path: string): boolean {
  return calls?.statvfs(cString(path), buffer) === 0 &&
    ((words[MOUNTED] ?? 0) & READ_ONLY) !== 0;
}

/**
 * What a file begins with, as much as there is room for, until the next call; null where it cannot be read. Nobody waits
 * for whoever would write into a pipe.
 */
function beginOf(path: string): Uint8Array<ArrayBuffer> | null {
  if (calls === null || path.includes("\0")) return null;
  const file = calls.open(cString(path), CLOSE_ON_EXEC | NON_BLOCKING);
  if (file < 0) return null;
  try {
    for (let length = 0;;) {
      const room = buffer.subarray(length);
      const size = Number(calls.read(file, room, BigInt(room.length)));
      if (size < 0) return null;
      length += size;
      if (size === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } finally {
    calls.close(file);
  }
}

/** The bytes of a small file; null where the system cannot be asked itself, has none, or it has grown. */
export function smallBytes(path: string): Uint8Array<ArrayBuffer> | null {
  const bytes = beginOf(path);
  return bytes === null || bytes.length === buffer.length ? null : bytes.slice();
}

/** The same as text. */
export function smallText(path: string): string | null {
  const bytes = beginOf(path);
  return bytes === null || bytes.length === buffer.length ? null : decoder.decode(bytes);
}

/**
 * What the system notes of a process in a file below `/proc`; empty where there is none. The runtime keeps these files
 * from a program that has given up some of its rights.
 */
export function procText(path: string): string {
  return smallText(path) ?? "";
}
