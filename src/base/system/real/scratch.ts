/** Directories for what other programs must write while nothing is to be changed: private, and gone afterwards. */

import { dirname, join } from "@std/path";

const PREFIX = "amof-scratch-";
/** Nothing works so long with one: what is older was left by a process that was killed. */
const ABANDONED_MS = 24 * 60 * 60 * 1_000;

/** Whether this process has looked for what others left. */
let isSwept = false;

/** Removes what killed processes left; what belongs to others, or goes meanwhile, stays their business. */
async function sweep(parent: string): Promise<void> {
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
    await sweep(dirname(directory));
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
