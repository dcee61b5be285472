/**
 * Approvals of commands for repositories, for tests.
 *
 * @module
 */

import { pick } from "./answers.ts";
import type { World } from "./world.ts";

/** The hash of what `amof exec trust` with these words would approve. */
export async function execHash(world: World, words: readonly string[]): Promise<string> {
  const shown = await world.amof(["exec", "trust", "--dry-run", "--json", ...words]);
  return String(pick(shown.json(), "preview", "hash"));
}

/** Approves what `amof exec trust` with these words names; answers the hash. */
export async function approveExec(world: World, words: readonly string[]): Promise<string> {
  const hash = await execHash(world, words);
  const ran = await world.amof(["exec", "trust", "--hash", hash, "--yes", ...words]);
  if (ran.code !== 0) throw new Error(`The approval failed: ${ran.stderr}`);
  return hash;
}
