/**
 * Where the workspace of a ticket is, and work in it.
 *
 * @module
 */

import { join } from "@std/path";
import type { World } from "./world.ts";

/** Where the workspace of a ticket is. */
export function ownDirectory(world: World, id: string): string {
  return `${world.workspace()}@${id}`;
}

/** The clone of a repository in the workspace of a ticket. */
export function ownClone(world: World, id: string, repo: string): string {
  return join(ownDirectory(world, id), "repos", repo);
}

/** Commits a file in a clone of a ticket's workspace; answers the commit. */
export async function commitIn(clone: string, world: World, file = "work.txt"): Promise<string> {
  await Deno.writeTextFile(join(clone, file), `${file}\n`);
  await world.git(clone, "add", "--all");
  await world.git(clone, "commit", "--quiet", "-m", `Add ${file}`);
  return await world.git(clone, "rev-parse", "HEAD");
}
