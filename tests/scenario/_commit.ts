/**
 * A world with something to commit, for the tests of `amof commit`.
 *
 * @module
 */

import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { type Ran, World } from "../support/world.ts";

/** Commits with consent. */
export function commit(world: World, ...args: string[]): Promise<Ran> {
  return world.amof(["commit", "--yes", "--json", ...args]);
}

/** The rows of a commit: from the run's result, or from the answer when no run was needed. */
export function committed(ran: Ran): Record<string, unknown>[] {
  return rows(ran.json(), ...(pick(ran.json(), "result") ? ["result", "repos"] : ["repos"]));
}

/** Name, result and error code of every row. */
export function outcome(ran: Ran): unknown[] {
  return committed(ran).map((row) => [row["name"], row["result"], row["code"]]);
}

/** An installed world whose repositories are on a feature branch, each with a new file. */
export async function atWork(...repos: string[]): Promise<World> {
  const world = await World.installed({ repos });
  for (const repo of repos) {
    await world.git(world.clone(repo), "switch", "--quiet", "-c", "feature/T-1");
    await Deno.writeTextFile(join(world.clone(repo), "new.txt"), `new in ${repo}\n`);
  }
  return world;
}

/** The message of the newest commit. */
export async function message(world: World, repo: string): Promise<string> {
  return (await world.git(world.clone(repo), "log", "-1", "--format=%B")).trim();
}

/** What a status of a repository says, with what is staged. */
export function state(world: World, repo: string): Promise<string> {
  return world.git(world.clone(repo), "status", "--porcelain");
}
