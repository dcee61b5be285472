/**
 * What every engine must do with an agent for a ticket, through the command line: the same tests for each of them.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import type { Ran, World } from "../support/world.ts";
import { answerOf, type Subject, worldWith } from "./suite.ts";

/** A world with a ticket in two repositories, and a third one to be read. */
export async function ticketWith(subject: Subject): Promise<World> {
  const world = await worldWith(subject, ["api", "web", "lib"]);
  await world.install();
  await makeTicket(world, "P-1", { repos: ["api", "web"], context: ["lib"] });
  for (const repo of ["api", "web", "lib"]) {
    // Where shards read no files of this machine, remotes have other addresses than when it was made.
    const base = join(world.workspace(), "repos", repo);
    const url = (await world.git(base, "remote", "get-url", "origin")).trim();
    await world.git(cloneOf(world, repo), "remote", "set-url", "origin", url);
  }
  return world;
}

/** The clone of a repository in the ticket. */
export function cloneOf(world: World, repo: string): string {
  return join(world.control, "worktrees", "demo@P-1", "repos", repo);
}

/** What became of each repository: its name, its state, and how many commits came. */
export function arrivals(ran: Ran): unknown[] {
  return rows(answerOf(ran.json()), "arrivals").map((row) => [
    row["repo"],
    row["state"],
    row["commits"],
  ]);
}

/** What stands in a file of a commit, and how many commits there are since the base. */
export async function standing(world: World, repo: string, ref = "feature/P-1"): Promise<string> {
  const clone = cloneOf(world, repo);
  const subjects = await world.git(clone, "log", "--format=%s", `origin/main..${ref}`);
  return subjects.trim();
}

/** Shell lines that commit once in one repository, leave a file there, write in another that is to be read, and fail. */
export const WORK = `
  set -e
  test -f web/README.md || cd repos
  test "$AMOF_TICKET" = P-1 && test "$PWD" = "$AMOF_TICKET_DIR/repos"
  test "$(git -C api branch --show-current)" = feature/P-1
  echo more >> api/README.md; echo more >> lib/README.md
  git -C api -c user.name=A -c user.email=a@example.invalid commit --quiet --all -m More
  echo new > api/new.txt; echo kept > api/ignored.log
  echo done there >&2
  exit 7
`;

/** Declares the tests for an engine. */
export function agents(subject: Subject, ignore = false): void {
  Deno.test({
    name: `engine ${subject.name}: what an agent made of a ticket comes home, also when it failed`,
    ignore,
    async fn() {
      await using world = await ticketWith(subject);
      const words = ["agent", "run", "-t", "P-1", "--engine", subject.name, "--no-box", "--yes"];
      const ran = await world.amof([...words, "--json", "--", "sh", "-c", WORK]);
      assertEquals(ran.code, 7, ran.stdout + ran.stderr);
      assertEquals(arrivals(ran), [["api", "taken", 2], ["web", "unchanged", 0], [
        "lib",
        "unchanged",
        0,
      ]], ran.stdout);
      const clone = cloneOf(world, "api");
      assertEquals(await standing(world, "api"), "P-1: what sh left uncommitted\nMore");
      assertEquals(await Deno.readTextFile(join(clone, "new.txt")), "new\n");
      assertEquals((await world.git(clone, "status", "--porcelain")).trim(), "");
      assertEquals((await world.git(clone, "branch", "--list", "amof-agent/*")).trim(), "");
      assertEquals(await world.git(cloneOf(world, "lib"), "status", "--porcelain"), "");
      const { run_id: id } = answerOf(ran.json());
      const log = await world.amof(["runs", "logs", String(id ?? ran.json()["run_id"])]);
      assertStringIncludes(log.stdout, "done there");
    },
  });
}
