/**
 * Directories that are always made the same way are made once for all test files, and copied from then on. A
 * copy costs a tenth of the git processes that made the original.
 *
 * @module
 */

import { join } from "@std/path";
import { sha256 } from "../../src/base/hash.ts";
import { commonPlace, newDirectory } from "./place.ts";

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
  const original = known ?? findOriginal(name, make);
  originals.set(name, original);
  copyTree(await original, target);
}

async function findOriginal(
  name: string,
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const common = commonPlace();
  const everybodys = common === null ? null : join(common, "originals", sha256(name));
  if (everybodys !== null && exists(everybodys)) return everybodys;
  const directory = newDirectory();
  await make(directory);
  if (everybodys === null) return directory;
  try {
    await Deno.mkdir(join(everybodys, ".."), { recursive: true });
    await Deno.rename(directory, everybodys);
    return everybodys;
  } catch (error) {
    // Another file was faster.
    if (exists(everybodys)) return directory;
    throw error;
  }
}

/** Whether a path leads to anything, if only to a link. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function copyTree(from: string, to: string): void {
  Deno.mkdirSync(to, { recursive: true });
  for (const entry of Deno.readDirSync(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory) copyTree(source, target);
    else {
      try {
        Deno.copyFileSync(source, target);
      } catch (error) {
        // A git that tidies up in the background holds one for a moment.
        if (!entry.name.endsWith(".lock") || !(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
  }
}
