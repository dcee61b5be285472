/**
 * The sums of all files of a release, and their signature.
 *
 * @module
 */

import { join } from "@std/path";
import { PROJECT } from "./project.ts";
import { run, sha256File } from "./tools.ts";

/** The file with the sums. */
export const SUMS = "SHA256SUMS";

/** Writes the sums of all files of a directory, and signs them where a key is given. */
export async function writeSums(directory: string, key: string | null): Promise<void> {
  const names = (await Array.fromAsync(Deno.readDir(directory)))
    .filter((entry) => entry.isFile && !entry.name.startsWith(SUMS)).map((entry) => entry.name)
    .toSorted();
  const lines: string[] = [];
  for (const name of names) lines.push(`${await sha256File(join(directory, name))}  ${name}\n`);
  await Deno.writeTextFile(join(directory, SUMS), lines.join(""));
  if (key === null) return;
  // The comment is signed, too: it says which version these sums are of.
  await run("minisign", ["-S", "-s", key, "-m", SUMS, "-t", `amof v${PROJECT.version}`], {
    cwd: directory,
  });
}
