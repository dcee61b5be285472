/**
 * Undo of runs that brought clones into a workspace that was there before, from outside: they go where nothing of
 * anybody's is in them, and what was there before stays.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { commitIn, ownClone, ownDirectory } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";

const ID = "T-1";
const SAID = "the workspace without the new clones, as long as nothing of yours is in them";

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

/** A ticket in api with uncommitted work there. */
function ticket(): Promise<World> {
  return World.like("a ticket to which repositories are added and taken again", async (world) => {
    await world.makeControl();
    await world.addEcosystem("demo", { repos: ["api", "web"] });
    await must(world, "install", "--yes");
    await must(world, "ticket", "start", ID, "--workspace", "--repo", "api");
    await Deno.writeTextFile(join(ownClone(world, ID, "api"), "mine.txt"), "mine\n");
  });
}

async function recordOf(world: World): Promise<string> {
  return await Deno.readTextFile(join(ownDirectory(world, ID), ".amof", "ticket.json"));
}

Deno.test("undo of ticket add takes the clones away that came, and nothing else", async () => {
  await using world = await ticket();
  const record = await recordOf(world);
  const editor = join(ownDirectory(world, ID), `amof.demo.${ID}.code-workspace`);
  const shown = await Deno.readTextFile(editor);
  const plan = await must(world, "ticket", "add", ID, "--repo", "web", "--dry-run");
  assertEquals(pick(plan, "undo"), { brings_back: SAID, cannot: "mirrors that are made" });
  const done = await must(world, "ticket", "add", ID, "--repo", "web");
  const run = String(pick(done, "undo", "run_id"));
  const web = ownClone(world, ID, "web");
  assert(await world.exists(web));
  const [first] = rows(await must(world, "operations"), "operations");
  assertEquals([first?.["action"], first?.["repos"], first?.["undoable"]], ["ticket_add", 1, true]);
  const preview = JSON.stringify(await must(world, "undo", "--dry-run"));
  assertStringIncludes(preview, `Delete worktrees/demo@${ID}/repos/web, the clone of web`);
  const undone = await must(world, "undo", run, "--yes");
  assertEquals(pick(undone, "dropped", "repos"), ["web"]);
  assert(!await world.exists(web));
  assertEquals(JSON.parse(await recordOf(world)), JSON.parse(record));
  assertEquals(await Deno.readTextFile(editor), shown);
  assertEquals(await Deno.readTextFile(join(ownClone(world, ID, "api"), "mine.txt")), "mine\n");
  await must(world, "status", "--ticket", ID);
  await must(world, "ticket", "add", ID, "--repo", "web");
  await must(world, "status", "--ticket", ID);
});

Deno.test("undo of ticket add refuses where anybody has worked in a clone since", async () => {
  await using world = await ticket();
  await must(world, "ticket", "add", ID, "--repo", "web");
  const web = ownClone(world, ID, "web");
  await Deno.writeTextFile(join(web, "mine.txt"), "mine\n");
  await refused(world, "repo_dirty", '"name":"web"', "mine.txt");
  await Deno.remove(join(web, "mine.txt"));
  const commit = await commitIn(web, world);
  await world.git(web, "push", "--quiet", "origin", "HEAD");
  await refused(world, "undo_stale", '"name":"web"', "has been worked in since");
  await world.git(web, "reset", "--quiet", "--hard", `${commit}^`);
  await world.git(web, "branch", "aside");
  await refused(world, "undo_stale", "has been worked in since");
  await world.git(web, "branch", "--quiet", "-D", "aside");
  await must(world, "undo", "--yes");
  assert(!await world.exists(web));
});

Deno.test("undo of ticket add refuses for a ticket that was made anew since", async () => {
  await using world = await ticket();
  const added = await must(world, "ticket", "add", ID, "--repo", "web");
  const run = String(pick(added, "undo", "run_id"));
  await must(world, "ticket", "end", ID, "--discard-local", "--confirm-name", ID);
  await must(world, "ticket", "start", ID, "--workspace");
  const ran = await world.amof(["undo", run, "--yes", "--json"]);
  assertEquals(pick(ran.json(), "error"), "undo_impossible", ran.stdout);
  assertStringIncludes(ran.stdout, "was made anew since");
  assert(await world.exists(ownClone(world, ID, "web")));
});

Deno.test("what was read before and is worked on now stays, and ticket add says so before", async () => {
  await using world = await World.installed({ repos: ["api", "docs"] });
  await must(world, "ticket", "start", ID, "--workspace", "--repo", "api", "--context", "all");
  const plan = await must(world, "ticket", "add", ID, "--repo", "docs", "--dry-run");
  assertEquals(pick(plan, "undo", "brings_back"), null);
  assertStringIncludes(JSON.stringify(pick(plan, "undo", "cannot")), "was there to be read");
  await must(world, "ticket", "add", ID, "--repo", "docs");
  const [newest] = rows(await must(world, "operations"), "operations");
  assertEquals(
    [newest?.["action"], newest?.["ticket"], newest?.["undoable"], newest?.["fix"]],
    ["ticket_add", ID, false, `End the ticket: amof ticket end ${ID}`],
  );
});

Deno.test("undo of install --repair takes the clones away that it made, while no ticket works on them", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await Deno.rename(world.clone("web"), join(world.directory, "web aside"));
  await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
  const plan = await must(world, "install", "--repair", "--dry-run");
  assertEquals(pick(plan, "undo"), { brings_back: SAID, cannot: "what was repaired besides" });
  await must(world, "install", "--repair", "--yes");
  await Deno.remove(join(world.clone("api"), "mine.txt"));
  await must(world, "ticket", "start", ID);
  const listed = rows(await must(world, "operations"), "operations");
  const run = String(listed.find(({ action }) => action === "install")?.["run_id"]);
  const ran = await world.amof(["undo", run, "--yes", "--json"]);
  assertEquals(pick(ran.json(), "error"), "undo_impossible", ran.stdout);
  assertStringIncludes(ran.stdout, `${ID} was started in them since`);
  await must(world, "undo", "--yes");
  await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
  const preview = JSON.stringify(await must(world, "undo", run, "--dry-run"));
  assertStringIncludes(preview, "Delete worktrees/demo/repos/web, the clone of web");
  await must(world, "undo", run, "--yes");
  assert(!await world.exists(world.clone("web")));
  assertEquals(await Deno.readTextFile(join(world.clone("api"), "mine.txt")), "mine\n");
  await must(world, "install", "--repair", "--yes");
  assert(await world.exists(world.clone("web")));
});

Deno.test("undo of ticket add loses nothing to what is written while it goes", async () => {
  await using world = await ticket();
  await must(world, "ticket", "add", ID, "--repo", "web");
  const web = ownClone(world, ID, "web");
  const asked = join(world.directory, "asked");
  // Whoever looks at the clone again, where it was set aside, finds what was written there meanwhile.
  const env = await world.wrapGit(
    `case "$PWD $*" in *.amof-removed-*) [ -e '${asked}' ] || echo late > "$PWD/late.txt"; touch '${asked}';; esac`,
  );
  const ran = await world.amof(["undo", "--yes", "--json"], { env });
  assertEquals([pick(ran.json(), "error"), await world.exists(asked)], ["would_lose_work", true]);
  assertStringIncludes(ran.stdout, "has changed meanwhile; everything is as it was");
  assertEquals(await Deno.readTextFile(join(web, "late.txt")), "late\n");
  const beside = (await Array.fromAsync(Deno.readDir(join(ownDirectory(world, ID), ".."))))
    .map(({ name }) => name);
  assertEquals(beside.filter((name) => name.includes(".amof-")), []);
});

Deno.test("undo of ticket add over MCP asks before it deletes a clone", async () => {
  await using world = await ticket();
  await must(world, "ticket", "add", ID, "--repo", "web");
  await using client = await McpClient.executing(world, "run");
  const asked = await client.call("amof_undo", {});
  assertStringIncludes(asked.text, "the clone of web");
  const token = /amof_confirm\(token="([^"]+)"\)/.exec(asked.text)?.[1];
  const done = await client.call("amof_confirm", { token });
  assert(!done.isError, done.text);
  assert(!await world.exists(ownClone(world, ID, "web")));
});
