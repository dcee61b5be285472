/**
 * Installing, and remotes that break and mend, for the tests of `amof install`.
 *
 * @module
 */

import { join } from "@std/path";
import { type Ran, World } from "../support/world.ts";

/** Shell scripts, signals and links are POSIX matters. */
export const POSIX = Deno.build.os !== "windows";

/** Installs with consent. */
export function install(world: World, ...args: string[]): Promise<Ran> {
  return world.amof(["install", "--yes", "--json", ...args]);
}

/** Makes a remote unreachable. */
export async function breakRemote(world: World, repo: string): Promise<void> {
  await Deno.rename(join(world.remotes, `${repo}.git`), join(world.remotes, `${repo}.away`));
}

/** The names in a directory, in order. */
export async function names(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory), (entry) => entry.name)).toSorted();
}

/** Shell words that wait until all of these files are there, 30 seconds at most. */
export function waitFor(...files: readonly string[]): string {
  const missing = files.map((file) => `[ ! -e '${file}' ]`).join(" || ");
  return `n=0; while { ${missing}; } && [ $n -lt 600 ]; do n=$((n+1)); sleep 0.05; done`;
}
