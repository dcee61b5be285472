/**
 * Files in memory that behave as those of a POSIX system: links, permission bits, names of one file, and the errors of
 * the real thing. Permission bits are kept and not enforced, nothing is ever full, and nobody is told of changes.
 *
 * @module
 */

import { dirname, join, resolve } from "@std/path";
import { sha256 } from "../../src/base/hash.ts";
import { type FileInfo, type Files, STAMP_LENGTH } from "../../src/base/system/mod.ts";

interface PlainFile {
  readonly kind: "file";
  bytes: Uint8Array;
  mode: number;
  modifiedMs: number;
}

interface Directory {
  readonly kind: "directory";
  mode: number;
  readonly entries: Map<string, Node>;
}

interface Link {
  readonly kind: "symlink";
  readonly target: string;
}

type Node = PlainFile | Directory | Link;

/** Where a path leads: the directory that holds it, under which name, and what is there. */
interface Found {
  readonly parent: Directory;
  readonly name: string;
  readonly path: string;
  readonly node: Node | undefined;
}

/** So many links in a row are a loop. */
const MOST_LINKS = 40;

const ERRORS = {
  ENOENT: [Deno.errors.NotFound, "No such file or directory (os error 2)"],
  EEXIST: [Deno.errors.AlreadyExists, "File exists (os error 17)"],
  ENOTDIR: [Deno.errors.NotADirectory, "Not a directory (os error 20)"],
  EISDIR: [Deno.errors.IsADirectory, "Is a directory (os error 21)"],
  ELOOP: [Deno.errors.FilesystemLoop, "Too many levels of symbolic links (os error 40)"],
  EINVAL: [Error, "Invalid argument (os error 22)"],
  ENOTEMPTY: [Error, "Directory not empty (os error 39)"],
} as const;

type Code = keyof typeof ERRORS;

function failure(code: Code, path: string): Error {
  const [kind, words] = ERRORS[code];
  return Object.assign(new kind(`${words}: '${path}'`), { code });
}

/** The names that a path consists of. */
function namesOf(path: string): readonly string[] {
  const isPlain = path.startsWith("/") && !/\/(?:\.{0,2}\/|\.{0,2}$)/.test(path);
  return (isPlain ? path : resolve(path)).split("/").slice(1).filter((name) => name !== "");
}

function plain(node: Node, path: string): PlainFile {
  if (node.kind !== "file") throw failure("EISDIR", path);
  return node;
}

/** Does work as a promise: what it throws is a rejection. */
function promised<T>(work: () => T): Promise<T> {
  return new Promise((done) => done(work()));
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
}

function newFile(
  content: string | Uint8Array,
  mode: number | undefined,
  modifiedMs: number,
): PlainFile {
  return { kind: "file", bytes: toBytes(content), mode: mode ?? 0o644, modifiedMs };
}

function infoOf(node: Node): FileInfo {
  const { kind } = node;
  if (kind === "symlink") return { kind, size: node.target.length, mode: 0o777, modifiedMs: null };
  if (kind === "directory") return { kind, size: 0, mode: node.mode, modifiedMs: null };
  return { kind, size: node.bytes.length, mode: node.mode, modifiedMs: node.modifiedMs };
}

/** Plain files with their texts, by path. */
export type Texts =
  & Pick<ReadonlyMap<string, string>, "get" | "has" | "keys" | "size">
  & Iterable<[string, string]>;

/** A file system in memory. */
export class MemoryFiles {
  readonly #root: Directory = { kind: "directory", mode: 0o755, entries: new Map() };
  readonly #locked = new Set<PlainFile>();
  readonly #now: () => number;
  readonly #pid: number;
  /** It as the program reaches it. */
  readonly files: Files;

  /** `now` is when something is written, `pid` the process that holds its locks. */
  constructor(now: () => number, pid: number) {
    this.#now = now;
    this.#pid = pid;
    this.files = this.#port();
  }

  /** Every plain file with its text, by path, as it is whenever it is asked for. */
  get texts(): Texts {
    const all = () => this.#texts();
    return {
      get: (path) => all().get(path),
      has: (path) => all().has(path),
      keys: () => all().keys(),
      get size() {
        return all().size;
      },
      [Symbol.iterator]: () => all()[Symbol.iterator](),
    };
  }

  #texts(): Map<string, string> {
    const found = new Map<string, string>();
    const walk = (directory: Directory, path: string): void => {
      for (const [name, node] of directory.entries) {
        if (node.kind === "file") found.set(join(path, name), decoded(node.bytes));
        if (node.kind === "directory") walk(node, join(path, name));
      }
    };
    walk(this.#root, "/");
    return found;
  }

  /** Puts a file there, without waiting. */
  put(path: string, content: string | Uint8Array, mode?: number): void {
    this.#replace(path, content, mode);
  }

  /** Sets the permission bits of what a path leads to. */
  chmod(path: string, mode: number): void {
    const node = this.#there(path);
    if (node.kind !== "symlink") node.mode = mode;
  }

  /** Follows a path to its last name, and through a link there when `last` says so; a code where that fails. */
  #walk(path: string, last: "follow" | "stay", links = 0): Found | Code {
    if (links > MOST_LINKS) return "ELOOP";
    let parent = this.#root;
    let at = "";
    const names = namesOf(path);
    for (const [index, name] of names.entries()) {
      const node = parent.entries.get(name);
      const here = `${at}/${name}`;
      const isLast = index === names.length - 1;
      if (node?.kind === "symlink" && (!isLast || last === "follow")) {
        const rest = join(resolve(at === "" ? "/" : at, node.target), ...names.slice(index + 1));
        return this.#walk(rest, last, links + 1);
      }
      if (isLast) return { parent, name, path: here, node };
      if (node === undefined) return "ENOENT";
      if (node.kind !== "directory") return "ENOTDIR";
      parent = node;
      at = here;
    }
    return { parent, name: "", path: "/", node: this.#root };
  }

  /** As {@linkcode #walk}; throws where that fails. */
  #find(path: string, last: "follow" | "stay"): Found {
    const found = this.#walk(path, last);
    if (typeof found === "string") throw failure(found, path);
    return found;
  }

  /** What a path leads to; throws when there is nothing. */
  #there(path: string, last: "follow" | "stay" = "follow"): Node {
    const { node } = this.#find(path, last);
    if (node === undefined) throw failure("ENOENT", path);
    return node;
  }

  /** What a path leads to; undefined when there is nothing, or no end. */
  #lookAt(path: string, last: "follow" | "stay" = "follow"): Node | undefined {
    const found = this.#walk(path, last);
    if (found === "ENOTDIR") throw failure(found, path);
    return typeof found === "string" ? undefined : found.node;
  }

  /** Tells something of what a path leads to; null where it leads nowhere. */
  #tell<T>(path: string, last: "follow" | "stay", tell: (node: Node, path: string) => T) {
    return promised((): T | null => {
      const found = this.#walk(path, last);
      if (found === "ELOOP") throw failure(found, path);
      return typeof found === "string" || found.node === undefined
        ? null
        : tell(found.node, found.path);
    });
  }

  #file(path: string): PlainFile {
    return plain(this.#there(path), path);
  }

  /** Makes a directory with its parents, each with `mode`; false when it was there. */
  #makeDirectory(path: string, mode: number): boolean {
    const absolute = resolve(path);
    if (absolute === "/") return false;
    const there = this.#lookAt(absolute, "follow");
    if (there?.kind === "directory") return false;
    if (there !== undefined || this.#lookAt(absolute, "stay") !== undefined) {
      throw failure("EEXIST", path);
    }
    this.#makeDirectory(dirname(absolute), mode);
    this.#put(absolute, { kind: "directory", mode, entries: new Map() });
    return true;
  }

  /** Puts something where nothing is. */
  #put(path: string, node: Node): void {
    const found = this.#find(path, "stay");
    if (found.node !== undefined) throw failure("EEXIST", path);
    found.parent.entries.set(found.name, node);
  }

  /** As {@linkcode #put}; parents are made where they are missing. */
  #add(path: string, node: Node): void {
    try {
      this.#put(path, node);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      this.#makeDirectory(dirname(path), 0o755);
      this.#put(path, node);
    }
  }

  /** The file that a path leads to, which is made where it is missing. */
  #open(path: string, mode: number | undefined): PlainFile {
    const { parent, name, node } = this.#find(path, "follow");
    if (node !== undefined) return this.#file(path);
    const file = newFile("", mode, this.#now());
    parent.entries.set(name, file);
    return file;
  }

  /** Makes a new file first and fills it then, as the disk does; it goes again where that fails. */
  #copy(from: string, path: string, mode: number | undefined): string {
    const copy = newFile("", mode, this.#now());
    this.#makeDirectory(dirname(path), 0o755);
    this.#put(path, copy);
    try {
      copy.bytes = this.#file(from).bytes.slice();
    } catch (error) {
      this.#remove(path, false);
      throw error;
    }
    return sha256(copy.bytes);
  }

  #duplicate(from: string, path: string): void {
    this.#makeDirectory(dirname(path), 0o755);
    if (this.#lookAt(path, "stay") !== undefined) throw failure("EEXIST", path);
    if (this.#there(from).kind === "directory") throw failure("EINVAL", from);
    const { bytes, mode } = this.#file(from);
    this.#put(path, newFile(bytes, mode, this.#now()));
  }

  /** What a path leads to, or the link itself that leads nowhere. */
  #target(path: string): Found {
    const found = this.#walk(path, "follow");
    return typeof found === "string" || found.node === undefined ? this.#find(path, "stay") : found;
  }

  /** Puts a new file in the place of what is there, or of what a link there leads to. */
  #replace(path: string, content: string | Uint8Array, mode: number | undefined): void {
    this.#makeDirectory(dirname(path), 0o755);
    const { parent, name, node } = this.#target(path);
    if (node?.kind === "directory") throw failure("EISDIR", path);
    const kept = mode ?? (node?.kind === "file" ? node.mode : undefined);
    parent.entries.set(name, newFile(content, kept, this.#now()));
  }

  /** Gives a file another name; false where there is none, or something has that name. */
  #link(file: string, path: string): boolean {
    const node = this.#there(file, "stay");
    const found = this.#find(path, "stay");
    if (node.kind === "directory" || found.node !== undefined) return false;
    found.parent.entries.set(found.name, node);
    return true;
  }

  #rename(from: string, to: string): void {
    const source = this.#find(from, "stay");
    const target = this.#find(to, "stay");
    if (source.node === undefined) throw failure("ENOENT", from);
    if (target.node === source.node) return;
    if (target.path.startsWith(`${source.path}/`)) throw failure("EINVAL", to);
    if (source.path.startsWith(`${target.path}/`)) throw failure("ENOTEMPTY", to);
    if (target.node?.kind === "directory") {
      if (source.node.kind !== "directory") throw failure("EISDIR", to);
      if (target.node.entries.size > 0) throw failure("ENOTEMPTY", to);
    } else if (target.node !== undefined && source.node.kind === "directory") {
      throw failure("ENOTDIR", to);
    }
    source.parent.entries.delete(source.name);
    target.parent.entries.set(target.name, source.node);
  }

  #remove(path: string, tree: boolean): boolean {
    const found = this.#walk(path, "stay");
    if (found === "ELOOP") throw failure(found, path);
    if (typeof found === "string" || found.node === undefined) return false;
    const { parent, name, node } = found;
    if (node.kind === "directory" && node.entries.size > 0 && !tree) {
      throw failure("ENOTEMPTY", path);
    }
    parent.entries.delete(name);
    return true;
  }

  #lock(path: string): { release(): Promise<void> } | null {
    this.#makeDirectory(dirname(path), 0o755);
    const file = this.#open(path, 0o600);
    if (this.#locked.has(file)) return null;
    this.#locked.add(file);
    file.bytes = toBytes(`${this.#pid}\n`);
    return {
      release: () => {
        if (this.#locked.delete(file)) file.bytes = new Uint8Array();
        return Promise.resolve();
      },
    };
  }

  #port(): Files {
    return {
      readText: (path) => this.#tell(path, "follow", (node) => decoded(plain(node, path).bytes)),
      readBytes: (path) => this.#tell(path, "follow", (node) => plain(node, path).bytes.slice()),
      readPiece: (path, from, most) =>
        this.#tell(path, "follow", (node) => plain(node, path).bytes.slice(from, from + most)),
      hash: (path) => this.#tell(path, "follow", (node) => sha256(plain(node, path).bytes)),
      exists: (path) =>
        this.#tell(path, "follow", () => true).then((is) => is ?? false, () => false),
      stat: (path) => this.#tell(path, "follow", infoOf),
      lstat: (path) => this.#tell(path, "stay", infoOf),
      // Nothing notes here when anything changed, so nothing is told by it.
      isLocal: () => Promise.resolve(false),
      tree: () => Promise.resolve(null),
      stamps: (_directory, paths) =>
        Promise.resolve(new Int32Array(paths.length * STAMP_LENGTH).fill(-1)),
      areAbsent: async (directory, paths) => {
        const found = paths.map((path) =>
          this.#tell(resolve(directory, path), "follow", () => true)
        );
        return (await Promise.all(found)).every((one) => one === null);
      },
      realPath: (path) => this.#tell(path, "follow", (_node, real) => real),
      readLink: (path) =>
        this.#tell(path, "stay", (node) => {
          if (node.kind !== "symlink") throw failure("EINVAL", path);
          return node.target;
        }),
      list: async (path) =>
        await this.#tell(path, "follow", (node) => {
          if (node.kind !== "directory") return [];
          return [...node.entries].map(([name, { kind }]) => ({ name, kind }))
            .sort((a, b) => (a.name < b.name ? -1 : 1));
        }) ?? [],
      isReadOnly: () => Promise.resolve(false),
      isWritable: async (path) => await this.#tell(path, "follow", () => true) !== null,
      write: (path, content, options) =>
        promised(() => this.#replace(path, content, options?.mode)),
      create: (path, content, { mode, modifiedMs } = {}) =>
        promised(() => this.#add(path, newFile(content, mode, modifiedMs ?? this.#now()))),
      append: (path, content, { mode } = {}) =>
        promised(() => {
          const file = this.#open(path, mode);
          file.bytes = toBytes(decoded(file.bytes) + content);
          file.modifiedMs = this.#now();
        }),
      copy: (from, path, { mode } = {}) => promised(() => this.#copy(from, path, mode)),
      duplicate: (from, path) => promised(() => this.#duplicate(from, path)),
      makeDirectory: (path, { mode } = {}) =>
        promised(() => this.#makeDirectory(path, mode ?? 0o755)),
      rename: (from, to) => promised(() => this.#rename(from, to)),
      remove: (path) => promised(() => this.#remove(path, false)),
      removeTree: (path) => promised(() => this.#remove(path, true)),
      link: (file, path) => promised(() => this.#link(file, path)).catch(() => false),
      symlink: (target, path) => promised(() => this.#put(path, { kind: "symlink", target })),
      watch: () => () => {},
      scratch: () => Promise.reject(new Error("Nothing in memory needs a scratch directory")),
      flushDirectory: () => Promise.resolve(),
      lock: (path) => promised(() => this.#lock(path)),
    };
  }
}
