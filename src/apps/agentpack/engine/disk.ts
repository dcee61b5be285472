/** What lies at a destination: files, their permission bits, links, and what stands in the way (PACK-28, PACK-31). */

import { basename, dirname } from "@std/path";
import { FILES_AT_ONCE, ioError, Listing, withPath } from "../io.ts";
import type { Files } from "../../../base/system/mod.ts";
import { type Content, encodeText, hashOf, readContent, sameBytes } from "../content.ts";
import { inPool } from "../../../base/async/pool.ts";

/** What will be at a destination. */
export type After =
  | { readonly kind: "absent" }
  | {
    readonly kind: "file";
    readonly bytes: Content;
    /** The mode it must have; without it, that of the file there, else 0644. */
    readonly mode?: number;
    /** Whether execute bits are added. */
    readonly executable: boolean;
  }
  | { readonly kind: "symlink"; readonly link: string };

/** What is at a path. */
export interface OnDisk {
  readonly kind: "absent" | "file" | "symlink";
  /** The content, through a link; null when there is none. */
  readonly bytes: Content | null;
  readonly sha256: string | null;
  /** Permission bits of the content; null where unknown. */
  readonly mode: number | null;
  /** What a link says; null for anything else. */
  readonly link: string | null;
}

/** The answer for a plain file with exactly the bytes that are wanted there: nobody has to hash it. */
export const AS_WANTED = "as wanted";

const ABSENT: OnDisk = { kind: "absent", bytes: null, sha256: null, mode: null, link: null };

/**
 * Looks at a path. A link that leads nowhere has no content. Throws `E_IO_*` when something else than a file
 * is there, or above it.
 */
export async function readOnDisk(files: Files, path: string): Promise<OnDisk> {
  const info = await withPath("look at", path, () => files.lstat(path));
  if (info === null) {
    refuseLongNames(path);
    await refuseBlockedParent(files, path);
    return ABSENT;
  }
  if (info.kind === "directory" || info.kind === "other") {
    throw ioError("E_IO_INVALID_PATH", `Not a file: "${path}"`, { path, kind: "is_a_directory" });
  }
  if (info.kind === "file") {
    const bytes = await withPath("read", path, () => readContent(files, path, info.size));
    if (bytes === null) return ABSENT;
    return { kind: "file", bytes, sha256: hashOf(bytes), mode: info.mode, link: null };
  }
  const link = await files.readLink(path);
  const target = await withPath("follow", path, () => files.stat(path));
  if (target !== null && target.kind !== "file") {
    throw ioError("E_IO_INVALID_PATH", `Not a file: "${path}"`, { path, kind: "is_a_directory" });
  }
  const bytes = target === null
    ? null
    : await withPath("read", path, () => readContent(files, path, target.size));
  return {
    kind: "symlink",
    bytes,
    sha256: bytes === null ? null : hashOf(bytes),
    mode: target?.mode ?? null,
    link,
  };
}

/** What a directory is that files are looked for in: there, not there yet, or something only a closer look can tell. */
type Parent = Listing | "absent" | "unclear";

/** Directories by their paths, each asked for once, and none below one that is not there. */
class Parents {
  readonly #files: Files;
  readonly #states = new Map<string, Promise<"there" | "absent" | "unclear">>();

  constructor(files: Files) {
    this.#files = files;
  }

  /** What is in a directory. */
  async listing(directory: string): Promise<Parent> {
    const state = await this.#state(directory);
    if (state !== "there") return state;
    const entries = await this.#files.list(directory).catch(() => null);
    return entries === null ? "unclear" : new Listing(entries);
  }

  #state(directory: string): Promise<"there" | "absent" | "unclear"> {
    return this.#states.getOrInsertComputed(directory, () => this.#look(directory));
  }

  async #look(directory: string): Promise<"there" | "absent" | "unclear"> {
    const above = dirname(directory);
    const state = above === directory ? "there" : await this.#state(above);
    if (state !== "there") return state;
    try {
      const info = await this.#files.stat(directory);
      return info === null ? "absent" : info.kind === "directory" ? "there" : "unclear";
    } catch {
      return "unclear";
    }
  }
}

/**
 * Looks at many paths. The answers hold only what plans compare; `mode` is null. Each path comes with what is
 * wanted there, if anything is.
 *
 * One listing per directory takes the place of a look at each path. Plain files then only need to be read, and
 * files of a directory that does not exist need nothing.
 */
export async function lookAtMany(
  files: Files,
  wanted: ReadonlyMap<string, Content | null>,
  answer: (path: string, disk: OnDisk | typeof AS_WANTED) => void,
  refused: (path: string, error: unknown) => void,
): Promise<void> {
  const parents = new Parents(files);
  const listings = new Map<string, Parent>();
  await inPool(FILES_AT_ONCE, [...new Set([...wanted.keys()].map(dirname))], async (directory) => {
    listings.set(directory, await parents.listing(directory));
  });
  await inPool(FILES_AT_ONCE, [...wanted], async ([path, content]) => {
    try {
      const parent = listings.get(dirname(path)) ?? "unclear";
      answer(path, await lookWithin(files, parent, path, content));
    } catch (error) {
      refused(path, error);
    }
  });
}

/** Whether bytes that were read are those of a content, whose hash then holds for both: comparing is faster than hashing. */
function isContent(bytes: Uint8Array, content: Content): boolean {
  return content instanceof Uint8Array && sameBytes(bytes, content);
}

async function lookWithin(
  files: Files,
  parent: Parent,
  path: string,
  wanted: Content | null,
): Promise<OnDisk | typeof AS_WANTED> {
  const kind = typeof parent === "string" ? parent : parent.kindOf(basename(path));
  if (kind === "absent") {
    refuseLongNames(path);
    return ABSENT;
  }
  if (kind !== "file") return await readOnDisk(files, path);
  const bytes = await withPath("read", path, async () => {
    const size = (await files.stat(path))?.size;
    return size === undefined ? null : await readContent(files, path, size);
  });
  if (bytes === null) return await readOnDisk(files, path);
  // Most files are as they should be, and comparing them takes a tenth of the time of hashing.
  const isWanted = bytes instanceof Uint8Array && wanted !== null && isContent(bytes, wanted);
  return isWanted
    ? AS_WANTED
    : { kind: "file", bytes, sha256: hashOf(bytes), mode: null, link: null };
}

/** No common file system takes longer names; the system itself complains only where the directory exists. */
const MAX_NAME_BYTES = 255;

function refuseLongNames(path: string): void {
  // A character takes at most three bytes; so few names are that long that none is measured without need.
  if (!/[^\\/]{86}/.test(path)) return;
  if (path.split(/[\\/]/).every((name) => encodeText(name).length <= MAX_NAME_BYTES)) return;
  throw ioError(
    "E_IO_PATH_TOO_LONG",
    `Cannot use "${path}": a name in it has more than ${MAX_NAME_BYTES} bytes`,
    { path, kind: "path_too_long" },
  );
}

/** A file where a directory is needed makes a path look absent, though nothing can be written there. */
async function refuseBlockedParent(files: Files, path: string): Promise<void> {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    const info = await withPath("look at", at, () => files.stat(at));
    if (info === null) continue;
    if (info.kind === "directory") return;
    throw ioError("E_IO_INVALID_PATH", `Cannot use "${path}": "${at}" is not a directory`, {
      path,
      kind: "not_a_directory",
    });
  }
}

/** The directories above a path that do not exist yet, the outermost first. */
export async function missingParents(files: Files, path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    if (await files.lstat(at) !== null) break;
    missing.unshift(at);
  }
  return missing;
}

/** The directories above deleted files up to their roots, the innermost first, for removal in the end if they are empty. */
export function emptied(
  deleted: readonly { readonly root: string; readonly path: string }[],
): string[] {
  const directories = new Set<string>();
  for (const { root, path } of deleted) {
    for (let at = dirname(path); at !== root && at !== dirname(at); at = dirname(at)) {
      directories.add(at);
    }
  }
  return [...directories].sort((a, b) => b.length - a.length);
}

/** A file that is there keeps its mode, a new one gets 0644; whoever may read a program may also run it. */
export function modeAfter(before: number | null, executable: boolean): number {
  const base = before === null ? 0o644 : before & 0o777;
  return executable ? base | ((base & 0o444) >> 2) : base;
}

/** Permission bits as records hold them: four octal digits. */
export function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** Permission bits out of their octal digits, or null. */
export function parseMode(text: string | null | undefined): number | null {
  return text === undefined || text === null || !/^[0-7]{3,5}$/.test(text)
    ? null
    : parseInt(text, 8);
}
