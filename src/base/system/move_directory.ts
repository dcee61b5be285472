/** Moves a directory to its place, where nothing else has come. */

import { dirname } from "@std/path";
import type { AmofError } from "../error.ts";
import type { Files } from "./files.ts";

/**
 * Renames a directory, unless a rename that was followed by a kill has done so. An empty directory makes room for it; throws
 * what `taken` makes where anything else is at its place.
 */
export async function moveDirectory(
  files: Files,
  from: string,
  to: string,
  taken: () => AmofError,
): Promise<void> {
  if (await files.lstat(from) === null) return;
  const there = await files.lstat(to);
  if (there !== null) {
    if (there.kind !== "directory" || (await files.list(to)).length > 0) throw taken();
    await files.remove(to);
  }
  await files.makeDirectory(dirname(to));
  await files.rename(from, to);
  await files.flushDirectory(dirname(to));
}
