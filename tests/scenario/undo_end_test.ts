/**
 * Undo of the end of a ticket that had a workspace of its own, from outside: the workspace comes back as it was
 * committed, where nothing has taken its place.
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

/** What lies in a directory. */
async function names(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort();
}

async function must(world: World, ...args: string[]): Promise<Record<string, unknown>> {
  const ran = await world.amof([...args, "--json"]);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran.json();
}

/** Where is kept what an undo needs. */
function undoOf(world: World): string {
  return join(world.env["AMOF_HOME"] ?? "", "state", "undo");
}

/** What git says of a clone of the ticket. */
async function seen(world: World, repo: string): Promise<string> {
  const clone = ownClone(world, ID, repo);
  return [
    await world.git(clone, "symbolic-ref", "--quiet", "HEAD"),
    await world.git(clone, "for-each-ref", "refs/heads", "refs/tags"),
    await world.git(clone, "status", "--porcelain=v2", "--branch"),
    await world.git(clone, "log", "--format=%H %s", "--all"),
    await world.git(clone, "fsck", "--connectivity-only"),
  ].join("\n");
}

/** A ticket with work of its own in api, which its remote has, and none in web. */
function ticket(): Promise<World> {
  return World.like("a ticket whose end can be undone", async (world) => {
    await world.makeControl();
    await world.addEcosystem("demo", { repos: ["api", "web"] });
    await must(world, "install", "--yes");
    await must(world, "ticket", "start", ID, "--workspace");
    const api = ownClone(world, ID, "api");
    await commitIn(api, world);
    const commit = await world.git(api, "commit-tree", "-p", "HEAD", "-m", "Aside", "HEAD^{tree}");
    await world.git(api, "branch", "aside", commit);
    await world.git(api, "tag", "--annotate", "-m", "Mark", "mark");
    await must(world, "push", "--ticket", ID, "--yes");
    await world.git(api, "push", "--quiet", "origin", "aside", "mark");
    await world.git(api, "fetch", "--quiet");
  });
}

Deno.test("undo of the end of a ticket makes its workspace again, as it was committed", async () => {
  await using world = await ticket();
  const before = [await seen(world, "api"), await seen(world, "web")];
  const env = await Deno.readTextFile(join(ownDirectory(world, ID), ".amof", "env"));
  const plan = await must(world, "ticket", "end", ID, "--dry-run");
  assertEquals(
    pick(plan, "undo", "brings_back"),
    "its workspace, with branches, tags and what is checked out in its clones",
  );
  assertEquals(pick(plan, "undo", "cannot"), "ignored files, hooks and settings of its clones");
  const done = await must(world, "ticket", "end", ID, "--yes");
  const run = String(pick(done, "undo", "run_id"));
  assert(!await world.exists(ownDirectory(world, ID)));
  // What a remote loses meanwhile, and a mirror has no more, was kept here.
  const record = join(undoOf(world), run, "operation.json");
  const [clone] = rows(JSON.parse(await Deno.readTextFile(record)), "gone", "clones");
  // A newer program reads what an older one has kept.
  assertEquals(Object.keys(clone ?? {}).sort(), ["mirror", "name", "picture", "upstreams"]);
  await Deno.remove(String(clone?.["mirror"]), { recursive: true });
  const remote = join(world.remotes, "api.git");
  await world.git(remote, "branch", "-D", "aside");
  await world.git(remote, "gc", "--quiet", "--prune=now");
  const [first] = rows(await must(world, "operations"), "operations");
  assertEquals([first?.["action"], first?.["repos"], first?.["undoable"]], ["ticket_end", 2, true]);
  const preview = JSON.stringify(await must(world, "undo", "--dry-run"));
  assertStringIncludes(preview, `Make worktrees/demo@${ID} again, with 2 clones`);
  assertStringIncludes(preview, "api: on feature/T-1 at");
  assertStringIncludes(preview, "with aside");
  const undone = await must(world, "undo", run, "--yes");
  assertEquals(pick(undone, "returned", "workspace"), `worktrees/demo@${ID}`);
  assertEquals([await seen(world, "api"), await seen(world, "web")], before);
  assertEquals(await Deno.readTextFile(join(ownDirectory(world, ID), ".amof", "env")), env);
  await must(world, "status", "--ticket", ID);
  const again = await world.amof(["undo", run, "--yes", "--json"]);
  assertEquals(pick(again.json(), "error"), "operation_not_found", again.stdout);
  await world.git(ownClone(world, ID, "api"), "push", "--quiet", "origin", "aside");
  await must(world, "ticket", "end", ID, "--yes");
});

Deno.test("undo of the end of a ticket in the base workspace brings its branch, its work and the ticket back", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await must(world, "ticket", "start", ID);
  const api = world.clone("api");
  const commit = await commitIn(api, world);
  await must(world, "push", "--yes");
  const look = async () => [
    await world.git(api, "for-each-ref", "refs/heads", "refs/stash"),
    await Deno.readTextFile(join(api, ".git", "HEAD")),
    await world.git(api, "status", "--porcelain"),
    rows(await must(world, "ticket", "list"), "tickets").map(({ id, ticket_id }) =>
      id ?? ticket_id
    ),
  ];
  const before = await look();
  await must(world, "ticket", "end", ID, "--cleanup", "--force", "--confirm-name", ID);
  assert(!(await world.git(api, "branch")).includes("feature/T-1"));
  await must(world, "undo", "--yes");
  assertEquals(await look(), before);
  assertEquals(await world.git(api, "rev-parse", "feature/T-1"), commit);
  // The remote's branch is gone, and stays so.
  assertEquals(await world.git(api, "ls-remote", "origin", "feature/T-1"), "");
});

Deno.test("undo of the end of a ticket in one repository says that the ticket stays ended, and how it goes on", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await must(world, "ticket", "start", ID);
  await must(world, "ticket", "end", ID, "--cleanup", "--yes");
  const told = `${ID}: ended; take it up again: amof ticket start ${ID} --repo api`;
  const preview = await must(world, "undo", "--repo", "api", "--dry-run");
  assertStringIncludes(JSON.stringify(preview["effects"]), told);
  assertEquals((await must(world, "undo", "--repo", "api", "--yes"))["stays"], [told]);
  await must(world, "ticket", "start", ID, "--repo", "api");
  assertEquals(await world.git(world.clone("api"), "branch", "--show-current"), `feature/${ID}`);
});

Deno.test("what a forced end of a workspace gives up is said to be left to undo, which brings it back", async () => {
  await using world = await ticket();
  const own = ownClone(world, ID, "api");
  await world.git(own, "commit", "--quiet", "--allow-empty", "-m", "Only here");
  const force = ["ticket", "end", ID, "--cleanup", "--force"];
  const plan = await must(world, ...force, "--dry-run");
  assertEquals(plan["irreversible"], "Only undo brings back 1 commit that nobody else has");
  const commit = await world.git(own, "rev-parse", "HEAD");
  await must(world, ...force, "--confirm-name", ID);
  await must(world, "undo", "--yes");
  assertEquals(await world.git(own, "rev-parse", "HEAD"), commit);

  // A commit that the remote alone has does not come back.
  await world.git(own, "push", "--quiet", "origin", `${commit}:refs/heads/feature/T-1`);
  await world.git(own, "reset", "--quiet", "--hard", "HEAD~");
  await world.git(own, "fetch", "--quiet");
  const lost = await must(world, ...force, "--dry-run");
  assertStringIncludes(String(lost["irreversible"]), "Lost work cannot be brought back: ");
});

Deno.test("undo of ticket end --cleanup brings branches back here, and tells which remotes lost them", async () => {
  await using world = await ticket();
  const commits = await world.git(ownClone(world, ID, "api"), "rev-parse", "HEAD", "aside");
  const plan = await must(world, "ticket", "end", ID, "--cleanup", "--force", "--dry-run");
  assertEquals(
    pick(plan, "undo", "cannot"),
    "ignored files, hooks and settings of its clones, and branches that are deleted on remotes",
  );
  // Another branch of the remote has its commits, so nothing is lost with this one.
  await must(world, "ticket", "end", ID, "--cleanup", "--force", "--yes");
  await world.git(world.clone("api"), "push", "--quiet", "origin", ":aside");
  const there = await world.git(world.clone("api"), "ls-remote", "origin");
  assert(!there.includes("feature/T-1"), there);
  const preview = JSON.stringify(await must(world, "undo", "--dry-run"));
  assertStringIncludes(preview, "api: feature/T-1 is deleted on its remote, and not pushed again");
  assertStringIncludes(preview, `do it again: amof ticket end ${ID} --cleanup --force`);
  const undone = await must(world, "undo", "--yes");
  assertStringIncludes(JSON.stringify(undone["stays"]), "feature/T-1 is deleted on its remote");
  const api = ownClone(world, ID, "api");
  assertEquals(await world.git(api, "rev-parse", "HEAD", "aside"), commits);
  assertEquals(await world.git(api, "status", "--porcelain"), "");
  assert(!(await world.git(api, "ls-remote", "origin")).includes("feature/T-1"));
  await must(world, "push", "--ticket", ID, "--yes");
});

Deno.test("undo of the end of a ticket refuses where something has taken its place", async () => {
  await using world = await ticket();
  await must(world, "ticket", "end", ID, "--yes");
  const refused = async (words: string) => {
    const before = await world.fingerprint();
    const ran = await world.amof(["undo", "--yes", "--json"]);
    assertEquals(pick(ran.json(), "error"), "undo_impossible", ran.stdout);
    assertStringIncludes(ran.stdout, words);
    assertEquals(await world.changesSince(before), []);
  };
  await Deno.mkdir(ownDirectory(world, ID));
  await refused("something is at");
  await Deno.remove(ownDirectory(world, ID));
  const selected = await world.amof(["undo", "--repo", "api", "--yes", "--json"]);
  assertEquals(pick(selected.json(), "error"), "invalid_arguments", selected.stdout);
  const manifest = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  const text = await Deno.readTextFile(manifest);
  await Deno.writeTextFile(manifest, text.replace(/name: web/, "name: site"));
  await refused("left the manifest since");
  await Deno.writeTextFile(manifest, text);
  const [ended] = rows(await must(world, "operations"), "operations");
  await must(world, "ticket", "start", ID);
  const started = await world.amof(["undo", String(ended?.["run_id"]), "--yes", "--json"]);
  assertStringIncludes(started.stdout, `ticket ${ID} was started in the base workspace since`);
});

Deno.test("clones that borrow nothing come back so; commits whose beginning is nowhere any more do not", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await must(world, "ticket", "start", ID, "--workspace", "--standalone");
  const api = ownClone(world, ID, "api");
  await commitIn(api, world);
  await must(world, "push", "--ticket", ID, "--yes");
  const before = await seen(world, "api");
  await must(world, "ticket", "end", ID, "--yes");
  await must(world, "undo", "--yes");
  assertEquals(await seen(world, "api"), before);
  assert(!await world.exists(join(api, ".git", "objects", "info", "alternates")));
  await must(world, "ticket", "end", ID, "--yes");
  // Its base branch begins anew, and its mirror with it.
  const base = world.clone("api");
  await world.git(base, "checkout", "--quiet", "--orphan", "anew");
  await world.git(base, "commit", "--quiet", "-m", "Anew");
  await world.git(base, "push", "--quiet", "--force", "origin", "anew:main");
  await world.git(base, "push", "--quiet", "origin", `:feature/${ID}`);
  await Deno.rename(base, join(world.directory, "base clone"));
  const mirrors = (await world.command("find", [world.directory, "-type", "d", "-name", "mirrors"]))
    .stdout.trim();
  assert(mirrors.startsWith(`${world.directory}/`), mirrors);
  await Deno.rename(mirrors, join(world.directory, "mirrors aside"));
  const ran = await world.amof(["undo", "--yes", "--json"]);
  assert(ran.code !== 0, ran.stdout);
  assertEquals((await names(join(world.control, "worktrees"))).join(), "demo");
});

Deno.test("what --discard-local gives up cannot be undone, and the preview says so", async () => {
  await using world = await ticket();
  await Deno.writeTextFile(join(ownClone(world, ID, "api"), "mine.txt"), "mine\n");
  const plan = await must(world, "ticket", "end", ID, "--discard-local", "--dry-run");
  assertEquals(pick(plan, "undo", "brings_back"), null);
  await must(world, "ticket", "end", ID, "--discard-local", "--confirm-name", ID);
  const [newest] = rows(await must(world, "operations"), "operations");
  assertEquals([newest?.["action"], newest?.["undoable"]], ["ticket_end", false]);
});

Deno.test("an end that is refused leaves nothing to be undone", async () => {
  await using world = await ticket();
  await commitIn(ownClone(world, ID, "web"), world);
  const ran = await world.amof(["ticket", "end", ID, "--yes", "--json"]);
  assertEquals(pick(ran.json(), "error"), "would_lose_work", ran.stdout);
  const listed = rows(await must(world, "operations"), "operations");
  assertEquals(listed.filter(({ action }) => action === "ticket_end"), []);
});

Deno.test("a workspace of which nothing can be kept does not go", async () => {
  await using world = await ticket();
  const kept = undoOf(world);
  await Deno.remove(kept, { recursive: true });
  await Deno.writeTextFile(kept, "no directory\n");
  const before = await seen(world, "api");
  const ended = await world.amof(["ticket", "end", ID, "--yes", "--json"]);
  assertEquals(pick(ended.json(), "error"), "file_failed", ended.stdout);
  assertEquals(await seen(world, "api"), before);
});

Deno.test("undo of the end of a ticket over MCP asks before it makes the workspace again", async () => {
  await using world = await ticket();
  await must(world, "ticket", "end", ID, "--yes");
  await using client = await McpClient.executing(world, "run");
  const asked = await client.call("amof_undo", {});
  assertStringIncludes(asked.text, `Make worktrees/demo@${ID} again, with 2 clones`);
  const token = /amof_confirm\(token="([^"]+)"\)/.exec(asked.text)?.[1];
  const done = await client.call("amof_confirm", { token });
  assert(!done.isError, done.text);
  assert(await world.exists(ownClone(world, ID, "api")));
});
