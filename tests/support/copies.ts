/**
 * Directories that are always made the same way are made once per test file, and copied from then on: a copy costs
 * a tenth of the git processes that made the original.
 *
 * @module
 */

import { join } from "@std/path";
import { newDirectory } from "./place.ts";

const originals = new Map<string, Promise<string>>();

/**
 * Copies what `make` makes, once, in an empty directory, into `target`. The same `name` must always mean the same
 * content.
 */
export async function copyOfNew(
  name: string,
  target: string,
  make: (directory: string) => Promise<void>,
): Promise<void> {
  const known = originals.get(name);
  const original = known ?? makeOriginal(make);
  originals.set(name, original);
  copyTree(await original, target);
}

async function makeOriginal(make: (directory: string) => Promise<void>): Promise<string> {
  const directory = newDirectory();
  await make(directory);
  return directory;
}

function copyTree(from: string, to: string): void {
  Deno.mkdirSync(to, { recursive: true });
  for (const entry of Deno.readDirSync(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory) copyTree(source, target);
    else Deno.copyFileSync(source, target);
  }
}
