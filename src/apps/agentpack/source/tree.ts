/**
 * Lists, reads and hashes the files of a module or overlay (PACK-16, PACK-17).
 *
 * Names are tested on paths relative to the root, never on absolute ones: the default home is itself called
 * `.agentpack`.
 */

import { basename } from "@std/path";
import { isBelow } from "../../../base/paths.ts";
import { sha256 } from "../../../base/hash.ts";
import type { FileInfo, Files } from "../../../base/system/mod.ts";
import { bytesOf, compareBytes, type Content, hashOf, readContent } from "../content.ts";
import { FILES_AT_ONCE, pathIn, readBytes, withPath } from "../io.ts";
import { inPool } from "../../../base/async/pool.ts";

/** A file below a root. */
export interface TreeEntry {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly absolute: string;
  readonly executable: boolean;
  /** Bytes it had when it was listed. */
  readonly size: number;
}

/** A file with its content. */
export interface TreeFile<C extends Content = Uint8Array> extends Omit<TreeEntry, "size"> {
  readonly bytes: C;
}

/** A file as lockfiles and baselines record it. */
export interface FileFact {
  readonly path: string;
  readonly sha256: string;
  /** Size in bytes. */
  readonly bytes: number;
}

interface TreeOptions {
  /** Names whose entries are left out, with everything below them. */
  readonly skip: readonly string[];
  /**
   * What to do with links. `files` follows links to files and leaves all others out, as hashing wants it. A
   * boundary also follows links to directories inside the root. It throws what `refuse` makes of any other.
   */
  readonly links:
    | "files"
    | Boundary & {
      /** Links to directories are left out instead of followed. */
      readonly onlyFiles?: true;
    };
}

/** Where links may lead, and the error for one that leads elsewhere. */
interface Boundary {
  readonly refuse: (link: string, why: string) => Error;
  /** Links to files may not leave this directory; null when they may lead anywhere. */
  readonly boundary: string | null;
}

/** Names that are never part of a module's content. */
export const RESERVED = [".git", ".agentpack"];

/** A file, with facts about what a link leads to, or null where nobody has looked yet. */
interface Listed {
  readonly path: string;
  readonly absolute: string;
  readonly info: FileInfo | null;
}

/** What a link must not lead out of, or back to. */
interface Ancestors {
  /** The root with its links resolved, found out when the first link needs it. */
  readonly root: () => Promise<string>;
  /** Directories that links on the way led to, resolved. */
  readonly entered: readonly string[];
}

function entryOf(path: string, absolute: string, info: FileInfo | null): TreeEntry {
  return {
    path,
    absolute,
    executable: ((info?.mode ?? 0) & 0o111) !== 0,
    size: info?.size ?? 0,
  };
}

async function walk(
  files: Files,
  { directory, prefix, ancestors }: {
    readonly directory: string;
    readonly prefix: string;
    readonly ancestors: Ancestors;
  },
  options: TreeOptions,
  found: Listed[],
): Promise<void> {
  const children = await withPath("list", directory, () => files.list(directory));
  await Promise.all(children.map(async ({ name, kind }) => {
    if (options.skip.includes(name)) return;
    const absolute = pathIn(directory, name);
    const path = `${prefix}${name}`;
    if (kind === "directory") {
      await walk(files, { directory: absolute, prefix: `${path}/`, ancestors }, options, found);
    } else if (kind === "symlink") {
      await followLink(files, { absolute, path, ancestors }, options, found);
    } else if (kind === "file") found.push({ path, absolute, info: null });
  }));
}

async function followLink(
  files: Files,
  { absolute, path, ancestors }: {
    readonly absolute: string;
    readonly path: string;
    readonly ancestors: Ancestors;
  },
  options: TreeOptions,
  found: Listed[],
): Promise<void> {
  const info = await files.stat(absolute).catch(() => null);
  const { links } = options;
  if (info?.kind === "file") {
    const real = await files.realPath(absolute) ?? absolute;
    if (links !== "files" && links.boundary !== null && !isBelow(links.boundary, real)) {
      throw links.refuse(path, "it leads out of the checkout");
    }
    found.push({ path, absolute, info });
    return;
  }
  if (links === "files" || links.onlyFiles) return;
  if (info === null) throw links.refuse(path, "it leads nowhere");
  if (info.kind !== "directory") throw links.refuse(path, "it leads to no file");
  const real = await files.realPath(absolute) ?? absolute;
  const { root, entered } = ancestors;
  const realRoot = await root();
  if (!isBelow(realRoot, real)) {
    throw links.refuse(path, "it leads to a directory outside of the module");
  }
  if ([realRoot, ...entered, pathIn(realRoot, path)].some((ancestor) => isBelow(real, ancestor))) {
    throw links.refuse(path, "it leads to a directory that holds it");
  }
  await walk(
    files,
    { directory: absolute, prefix: `${path}/`, ancestors: { root, entered: [...entered, real] } },
    options,
    found,
  );
}

/**
 * The files below a root, sorted by path; for a root that is a file, that file under its own name. Nothing
 * when the root does not exist. `known` is what the caller has just seen the root to be.
 */
export async function listTree(
  files: Files,
  root: string,
  options: TreeOptions,
  known?: FileInfo,
): Promise<TreeEntry[]> {
  const info = known ?? await files.stat(root);
  if (info === null) return [];
  if (info.kind === "file") return [entryOf(basename(root), root, info)];
  const found: Listed[] = [];
  let real: Promise<string> | undefined;
  const realRoot = () => real ??= files.realPath(root).then((path) => path ?? root);
  const ancestors = { root: realRoot, entered: [] };
  await walk(files, { directory: root, prefix: "", ancestors }, options, found);
  found.sort((a, b) => compareBytes(a.path, b.path));
  return await inPool(
    FILES_AT_ONCE,
    found,
    async ({ path, absolute, info }) => entryOf(path, absolute, info ?? await files.stat(absolute)),
  );
}

/** Reads listed files; one that vanished meanwhile is left out. */
export async function readTree(
  files: Files,
  entries: readonly TreeEntry[],
): Promise<TreeFile[]> {
  const read = await inPool(FILES_AT_ONCE, entries, async (entry) => ({
    ...entry,
    bytes: await readBytes(files, entry.absolute, entry.size),
  }));
  return read.flatMap(({ bytes, ...entry }) => bytes === null ? [] : [{ ...entry, bytes }]);
}

/** As {@linkcode readTree}, but large files stay where they are. */
export async function readContents(
  files: Files,
  entries: readonly TreeEntry[],
): Promise<TreeFile<Content>[]> {
  const read = await inPool(FILES_AT_ONCE, entries, async ({ size, ...entry }) => {
    const { absolute } = entry;
    const bytes = await withPath("read", absolute, () => readContent(files, absolute, size));
    return { ...entry, bytes };
  });
  return read.flatMap(({ bytes, ...entry }) => bytes === null ? [] : [{ ...entry, bytes }]);
}

/** The hash over all files of a tree: `path`, hash and size, a line each, sorted by path. */
export function treeHash(facts: readonly FileFact[]): string {
  const sorted = [...facts].sort((a, b) => compareBytes(a.path, b.path));
  return sha256(sorted.map((fact) => `${fact.path}\n${fact.sha256}\n${fact.bytes}\n`).join(""));
}

/**
 * The facts of a tree on disk as hashing sees it: all but `.git`, links to directories not followed. With a
 * boundary, a link to a file outside of it is refused, so that nothing of the machine gets into a lockfile.
 */
export async function hashTree(
  files: Files,
  root: string,
  boundary: Boundary | null = null,
): Promise<FileFact[]> {
  const links = boundary === null ? "files" : { onlyFiles: true, ...boundary } as const;
  const entries = await listTree(files, root, { skip: [".git"], links });
  const facts = await inPool(FILES_AT_ONCE, entries, async ({ path, absolute, size }) => {
    const content = await withPath("read", absolute, () => readContent(files, absolute, size));
    if (content === null) return [];
    return [{ path, sha256: hashOf(content), bytes: bytesOf(content)?.length ?? size }];
  });
  return facts.flat().sort((a, b) => compareBytes(a.path, b.path));
}
