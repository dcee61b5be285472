/**
 * Pushing and what it leads to, for the tests of `amof push`.
 *
 * @module
 */

import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { type Ran, World } from "../support/world.ts";

/** Hooks and wrapped programs are shell scripts. */
export const POSIX = Deno.build.os !== "windows";

/** Pushes with consent. */
export function push(world: World, ...args: string[]): Promise<Ran> {
  return world.amof(["push", "--yes", "--json", ...args]);
}

/** The rows of a push: from the run's result, or from the answer when no run was needed. */
export function results(ran: Ran): Record<string, unknown>[] {
  return rows(ran.json(), ...(pick(ran.json(), "result") ? ["result", "repos"] : ["repos"]));
}

/** Name, result and error code of every row. */
export function outcome(ran: Ran): unknown[] {
  return results(ran).map((row) => [row["name"], row["result"], row["code"]]);
}

/** The refs of a repository's remote. */
export function refs(world: World, repo: string): Promise<string> {
  return world.git(
    join(world.remotes, `${repo}.git`),
    "for-each-ref",
    "--format=%(refname) %(objectname)",
  );
}

/** The commit of a branch of a repository's remote, or null. */
export async function remote(world: World, repo: string, branch: string): Promise<string | null> {
  const line = (await refs(world, repo)).split("\n").find((text) =>
    text.startsWith(`refs/heads/${branch} `)
  );
  return line?.split(" ")[1] ?? null;
}

/** Commits a file in a working copy; answers the commit. */
export async function commit(
  world: World,
  at: string,
  file: string,
  text = "text\n",
): Promise<string> {
  await Deno.writeTextFile(join(at, file), text);
  await world.git(at, "add", file);
  await world.git(at, "commit", "--quiet", "-m", `Write ${file}`);
  return await world.git(at, "rev-parse", "HEAD");
}

/** Makes a ticket the active one, as `ticket start` would have. */
export function activate(
  world: World,
  ticket: string,
  repos: Record<string, string>,
): Promise<void> {
  return world.patchState({
    active_ticket: ticket,
    tickets: {
      [ticket]: { created_at: "2026-03-02T14:30:00.000Z", ecosystem: "demo", repos },
    },
  });
}
