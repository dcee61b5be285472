/**
 * Undo of runs that made a workspace, from outside: it goes where nothing of anybody's is in it, and stays otherwise.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { commitIn, ownClone, ownDirectory } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";

async function must(world: World, ...args: string[]): Promise<Record<string, unknown>> {
  const ran = await world.amof([...args, "--json"]);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran.json();
}

/** Refuses an undo with a code and words, and proves that nothing was touched. */
async function refused(world: World, code: string, ...words: string[]): Promise<void> {
  const before = await world.fingerprint();
  const ran = await world.amof(["undo", "--yes", "--json"]);
  assertEquals([ran.code === 0, pick(ran.json(), "error")], [false, code], ran.stdout);
  for (const word of words) assertStringIncludes(ran.stdout, word);
  assertEquals(await world.changesSince(before), []);
}

/** An ecosystem that `install` has just made a workspace of. */
function fresh(): Promise<World> {
  return World.like("an install that can be undone", async (world) => {
    await world.makeControl();
    await world.addEcosystem("demo", { repos: ["api", "web"] });
    await must(world, "install", "--yes");
  });
}

const SAID = "what was there before, as long as nothing of yours is in the new clones";

Deno.test("undo of install removes the workspace and its branch, and the run can be repeated", async () => {
  await using world = await World.withEcosystem({ repos: ["api", "web"] });
  const plan = await must(world, "install", "--dry-run");
  assertEquals(pick(plan, "undo", "brings_back"), SAID);
  const branches = await world.git(world.control, "branch");
  const done = await must(world, "install", "--yes");
  const run = String(pick(done, "result", "undo", "run_id"));
  const listed = await must(world, "operations");
  assertEquals(
    rows(listed, "operations").map(({ action, repos, undoable }) => [action, repos, undoable]),
    [["install", 2, true]],
  );
  const preview = await must(world, "undo", run, "--dry-run");
  assertStringIncludes(JSON.stringify(preview), "Delete worktrees/demo with 2 clones");
  const undone = await must(world, "undo", run, "--yes");
  assertEquals(pick(undone, "removed", "repos"), ["api", "web"]);
  assert(!await world.exists(world.workspace()));
  assertEquals(await world.git(world.control, "branch"), branches);
  assertEquals((await world.git(world.control, "worktree", "list")).split("\n").length, 1);
  await must(world, "install", "--yes");
  await must(world, "status");
});

Deno.test("undo of install refuses by repository where anything of the user's is in a clone", async () => {
  await using world = await fresh();
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "mine.txt"), "mine\n");
  await commitIn(world.clone("web"), world);
  await refused(
    world,
    ...["repo_dirty", '"name":"api"', '"name":"web"', "mine.txt", " (install): "] as const,
    '"hint":"Begin a ticket with it: amof ticket start TICKET-ID --carry --repo api,web\\n',
  );
  await Deno.remove(join(api, "mine.txt"));
  await world.git(world.clone("web"), "reset", "--quiet", "--hard", "origin/main");
  await Deno.writeTextFile(join(api, "put.txt"), "put\n");
  await world.git(api, "stash", "push", "--quiet", "--include-untracked");
  await refused(world, "would_lose_work", '"name":"api"', "stash");
});

Deno.test("undo of install refuses while a ticket is worked on there, and for what was made anew since", async () => {
  await using world = await fresh();
  const listed = await must(world, "operations");
  const run = String(pick(listed, "operations", 0, "run_id"));
  await must(world, "ticket", "start", "T-1");
  const ran = await world.amof(["undo", run, "--yes", "--json"]);
  assertEquals(pick(ran.json(), "error"), "undo_impossible", ran.stdout);
  assertStringIncludes(ran.stdout, "ticket T-1 was started in the workspace since");
  await must(world, "discard", "--confirm-name", "demo");
  await must(world, "install", "--yes");
  const old = await world.amof(["undo", run, "--yes", "--json"]);
  assertEquals(pick(old.json(), "error"), "undo_impossible", old.stdout);
  assertStringIncludes(old.stdout, "it was made anew since");
  const selected = await world.amof(["undo", "--repo", "api", "--yes", "--json"]);
  assertEquals(pick(selected.json(), "error"), "invalid_arguments", selected.stdout);
});

Deno.test("undo of install --push leaves the branch on the remote, and says so before", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const plan = await must(world, "install", "--push", "--dry-run");
  assertEquals(pick(plan, "undo", "cannot"), "the workspace branch that is pushed");
});

Deno.test("undo of ticket start --workspace removes the workspace, and frees its ports, while nobody worked in it", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const before = await world.fingerprint();
  const plan = await must(world, "ticket", "start", "T-1", "--workspace", "--dry-run");
  assertEquals(pick(plan, "undo", "brings_back"), SAID);
  await must(world, "ticket", "start", "T-1", "--workspace");
  const api = ownClone(world, "T-1", "api");
  await Deno.writeTextFile(join(api, "mine.txt"), "mine\n");
  await refused(world, "repo_dirty", '"name":"api"', "mine.txt");
  await Deno.remove(join(api, "mine.txt"));
  const commit = await commitIn(api, world);
  await world.git(api, "push", "--quiet", "origin", "HEAD");
  await refused(world, "undo_stale", '"name":"api"', "has been worked in since");
  await world.git(api, "reset", "--quiet", "--hard", `${commit}^`);
  await Deno.writeTextFile(join(ownDirectory(world, "T-1"), "notes.md"), "notes\n");
  await refused(world, "would_lose_work", "notes.md");
  await Deno.remove(join(ownDirectory(world, "T-1"), "notes.md"));
  const undone = await must(world, "undo", "--yes");
  assertEquals(pick(undone, "removed", "workspace"), "worktrees/demo@T-1");
  assert(!await world.exists(ownDirectory(world, "T-1")));
  const touched = await world.changesSince(before);
  assertEquals(touched.filter((path) => path.includes("worktrees/")), []);
  const again = await must(world, "ticket", "start", "T-2", "--workspace");
  assertEquals(pick(again, "env", "AMOF_PORT_BASE"), "20000");
  // It was its own newest operation: what came before is the next one.
  await must(world, "undo", "--yes");
  assert(!await world.exists(ownDirectory(world, "T-2")));
});

Deno.test("undo over MCP asks before it removes what a run made", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await must(world, "ticket", "start", "T-1", "--workspace");
  await using client = await McpClient.executing(world, "run");
  const asked = await client.call("amof_undo", {});
  assertStringIncludes(asked.text, "Delete worktrees/demo@T-1 with 1 clone");
  assert(await world.exists(ownDirectory(world, "T-1")));
  const token = /amof_confirm\(token="([^"]+)"\)/.exec(asked.text)?.[1];
  const done = await client.call("amof_confirm", { token });
  assert(!done.isError, done.text);
  assert(!await world.exists(ownDirectory(world, "T-1")));
});

Deno.test("operations tell the tickets that workspaces were made for, as people count, and show what was made", async () => {
  await using world = await World.installed({ repos: ["api", "web", "docs"] });
  for (const id of ["T-2", "T-10"]) {
    const started = await world.amof(["ticket", "start", id, "--workspace", "--repo", "api"]);
    assertStringIncludes(started.stdout, "– web and docs: not selected");
  }
  const listed = await world.amof(["operations"]);
  assertStringIncludes(listed.stdout, "TICKET");
  const { operations } = await must(world, "operations") as {
    operations: Record<string, unknown>[];
  };
  assertEquals(operations.map(({ ticket }) => ticket), ["T-10", "T-2", null]);
  const run = String(operations[1]?.["run_id"]);
  const shown = await world.amof(["operations", "show", run]);
  assertStringIncludes(shown.stdout, "1 clone in the workspace of T-2, as a whole.");
  assertStringIncludes(shown.stdout, "Found ticket_start in 1 repo, to be undone.");
  const elsewhere = await world.amof(["-t", "T-2", "operations", "show", run]);
  assertStringIncludes(elsewhere.stderr, "nothing in this workspace");
  const tickets = await must(world, "ticket", "list");
  assertEquals(rows(tickets, "tickets").map(({ ticket_id: id }) => id), ["T-2", "T-10"]);
});
