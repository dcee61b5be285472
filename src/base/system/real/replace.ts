/**
 * Replaces a file in one step, so that readers see the old text or the new one. A kill leaves nothing in a
 * working copy that its owner could commit.
 */

import { dirname, join, resolve } from "@std/path";
import { STAGING } from "../layout.ts";

/** Others may remove a file they do not know; it is then written anew, at most so many times. */
const TRIES = 3;

/** Writes a file that must not exist yet, and flushes it. */
type WriteNew = (path: string, mode: number | undefined) => Promise<void>;

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch {
    return null;
  }
}

/** The git directory that a `.git` leads to; null when it leads nowhere. */
async function gitDirectoryAt(directory: string): Promise<string | null> {
  const dotGit = join(directory, ".git");
  const info = await orNull(Deno.stat(dotGit));
  if (info === null) return null;
  if (info.isDirectory) return dotGit;
  const text = info.size < 4096 ? await orNull(Deno.readTextFile(dotGit)) : null;
  const to = /^gitdir: (.+)$/m.exec(text ?? "")?.[1]?.trim();
  return to === undefined ? null : resolve(directory, to);
}

/**
 * The place inside the git directory of the working copy around `directory` where its files are prepared: git neither
 * shows nor adds what lies there. Null outside of working copies and where it cannot be had.
 */
async function stagingFor(directory: string): Promise<string | null> {
  for (let at = directory;; at = dirname(at)) {
    const git = await gitDirectoryAt(at);
    if (git !== null) {
      if (await orNull(Deno.stat(join(git, "HEAD"))) === null) return null;
      const staging = join(git, STAGING);
      await orNull(Deno.mkdir(staging));
      const [there, here] = [await orNull(Deno.stat(staging)), await orNull(Deno.stat(directory))];
      // A rename works within one file system only.
      return there?.isDirectory && there.dev === here?.dev ? staging : null;
    }
    if (dirname(at) === at) return null;
  }
}

async function through(
  temporary: string,
  target: string,
  mode: number | undefined,
  write: WriteNew,
): Promise<void> {
  try {
    await write(temporary, mode);
    await Deno.rename(temporary, target);
  } catch (error) {
    await orNull(Deno.remove(temporary));
    // The caller knows the file by its own name, not by the temporary one.
    if (error instanceof Error) error.message = error.message.replaceAll(temporary, target);
    throw error;
  }
}

/** Whether an attempt failed only because its temporary file is gone. */
async function wasSwept(error: unknown, target: string): Promise<boolean> {
  return error instanceof Deno.errors.NotFound && await orNull(Deno.stat(dirname(target))) !== null;
}

/** The name of a temporary file in {@linkcode STAGING}. */
function stagedName(pid: number): string {
  return `${pid}-${crypto.randomUUID()}`;
}

/** The name of a temporary file beside the file it will replace. */
function besideName(pid: number): string {
  return `.amof-${pid}-${crypto.randomUUID()}.tmp`;
}

/** Replaces `path`, or what a link there leads to. Creates missing parents. */
export async function replaceFile(
  path: string,
  mode: number | undefined,
  write: WriteNew,
): Promise<void> {
  const target = await orNull(Deno.realPath(path)) ?? path;
  const existing = await orNull(Deno.stat(target));
  const wanted = mode ?? existing?.mode ?? undefined;
  const bits = wanted === undefined ? undefined : wanted & 0o7777;
  const parent = dirname(target);
  await Deno.mkdir(parent, { recursive: true });
  const staging = await stagingFor(parent);
  if (staging !== null) {
    try {
      return await through(join(staging, stagedName(Deno.pid)), target, bits, write);
    } catch (error) {
      // Where the git directory may not be written, or cannot be renamed from, the file itself may still be.
      if (!isElsewhere(error)) throw error;
    }
  }
  for (let attempt = 1;; attempt++) {
    try {
      return await through(join(parent, besideName(Deno.pid)), target, bits, write);
    } catch (error) {
      if (attempt === TRIES || !await wasSwept(error, target)) throw error;
    }
  }
}

/** Whether a failure may be one of the place where the file was prepared. */
function isElsewhere(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotFound ||
    (error instanceof Error && "code" in error &&
      (error.code === "EXDEV" || error.code === "EROFS"));
}

// Directories for what other programs must write while nothing is to be changed: private, and gone afterwards.

const PREFIX = "amof-scratch-";
/** Nothing works so long with one: what is older was left by a process that was killed. */
const ABANDONED_MS = 24 * 60 * 60 * 1_000;

/** Whether this process has looked for what others left. */
let isSwept = false;

/** Removes what killed processes left; what belongs to others, or goes meanwhile, stays their business. */
async function removeStale(parent: string): Promise<void> {
  if (isSwept) return;
  isSwept = true;
  const before = Date.now() - ABANDONED_MS;
  try {
    for await (const { name, isDirectory } of Deno.readDir(parent)) {
      if (!isDirectory || !name.startsWith(PREFIX)) continue;
      const path = join(parent, name);
      const { mtime } = await Deno.lstat(path);
      if (mtime === null || mtime.getTime() > before) continue;
      await Deno.remove(path, { recursive: true });
    }
  } catch {
    // Tidying up fails for good reasons, and must not be why the work does.
  }
}

/** Does work with such a directory, which begins with some files and, by names that end in a slash, directories. */
export async function withScratch<T>(
  content: Readonly<Record<string, string>>,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await Deno.makeTempDir({ prefix: PREFIX });
  try {
    await removeStale(dirname(directory));
    for (const [name, text] of Object.entries(content)) {
      const path = join(directory, name);
      await Deno.mkdir(name.endsWith("/") ? path : dirname(path), { recursive: true });
      if (!name.endsWith("/")) await Deno.writeTextFile(path, text);
    }
    return await work(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
