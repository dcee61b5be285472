/**
 * `amof ticket start --carry`: uncommitted work goes along to the new ticket, in place and into its own workspace.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";

const STATUS = "AM new.txt\n M README.md\n?? wip.txt";

/** Two clones, the first with a changed, a staged and an untracked file. */
async function changed(): Promise<World> {
  return await World.like("uncommitted work to be taken along", async (world) => {
    await world.makeInstalled({ repos: ["api", "web"] });
    const api = world.clone("api");
    await Deno.writeTextFile(join(api, "README.md"), "changed\n");
    await Deno.writeTextFile(join(api, "new.txt"), "staged\n");
    await world.git(api, "add", "new.txt");
    await Deno.writeTextFile(join(api, "new.txt"), "staged\nand more\n");
    await Deno.writeTextFile(join(api, "wip.txt"), "wip\n");
  });
}

async function standing(world: World, directory: string): Promise<[string, string]> {
  const branch = (await world.git(directory, "branch", "--show-current")).trim();
  const status = await world.git(directory, "status", "--porcelain");
  return [branch, status.trimEnd().split("\n").toSorted().reverse().join("\n")];
}

const SORTED = STATUS.split("\n").toSorted().reverse().join("\n");

/** Somebody pushes another README, which is fetched. */
async function otherReadme(world: World): Promise<void> {
  const seed = join(world.directory, "seed", "api");
  await Deno.writeTextFile(join(seed, "README.md"), "theirs\n");
  await world.git(seed, "commit", "--quiet", "-am", "Write another README");
  await world.git(seed, "push", "--quiet", join(world.remotes, "api.git"), "main");
  await world.git(world.clone("api"), "fetch", "--quiet");
}

Deno.test("work that does not fit a branch that only the remote has stays, and nothing is left to repair", async () => {
  await using world = await changed();
  const seed = join(world.directory, "seed", "api");
  await Deno.writeTextFile(join(seed, "README.md"), "theirs\n");
  await world.git(seed, "commit", "--quiet", "-am", "Write another README");
  await world.git(seed, "push", "--quiet", join(world.remotes, "api.git"), "HEAD:feature/T-1");
  const before = await standing(world, world.clone("api"));
  const refused = await world.amof(["ticket", "start", "T-1", "--carry", "--json"]);
  assertEquals(refused.code, 1);
  assertStringIncludes(String(refused.json()["message"]), "every repository is as it was");
  assertEquals(await standing(world, world.clone("api")), before);
  assertEquals((await world.amof(["sync", "--yes"])).code, 0);
  const hint = String(refused.json()["hint"]);
  const away = /: git -C \S+ (.*)$/.exec(hint)?.[1] ?? "";
  await world.git(world.clone("api"), ...away.split(" "));
  assertEquals((await world.amof(["ticket", "start", "T-1", "--json"])).code, 0);
});

Deno.test("commits of the base branch that do not go along are told", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "-m", "Only here");
  const told = "api: 1 commit that only main here has stays there";
  const preview = await world.amof(["ticket", "start", "T-1", "--dry-run"]);
  assertStringIncludes(preview.stdout, `${told}; --carry takes such along`);
  // Once it has begun, no flag helps; the status has the line.
  const { stdout } = await world.amof(["ticket", "start", "T-1"]);
  assertStringIncludes(stdout, `${told}; the status says how to take such along`);
  assertStringIncludes((await world.amof(["status"])).stdout, " merge main\n");
});

Deno.test("uncommitted work goes along to a ticket in place, over MCP too, and is undone", async () => {
  await using world = await changed();
  const refused = await world.amof(["ticket", "start", "T-1", "--json"]);
  assertEquals(refused.code, 1);
  assertStringIncludes(String(refused.json()["hint"]), "amof ticket start T-1 --carry\n");
  const both = await world.amof(["ticket", "start", "T-1", "--carry", "--stash", "--json"]);
  assertEquals([both.code, both.json()["error"]], [2, "invalid_arguments"]);
  const shown = await world.amof(["ticket", "start", "T-1", "--carry", "--dry-run"]);
  assertStringIncludes(shown.stdout, "taking 3 changed files along");
  await using client = new McpClient(world, ["--mode", "execute"]);
  await client.initialize({});
  const started = await client.call("amof_ticket_start", {
    ecosystem: "demo",
    ticket_id: "T-1",
    carry: true,
  });
  assert(!started.isError, started.text);
  assertEquals(await standing(world, world.clone("api")), ["feature/T-1", SORTED]);
  assertEquals(await standing(world, world.clone("web")), ["feature/T-1", ""]);
  const undone = await world.amof(["undo", "--yes"]);
  assertEquals(undone.code, 0, undone.stderr);
  assertEquals(await standing(world, world.clone("api")), ["main", SORTED]);
});

Deno.test("work that the new branch has otherwise is named, and nothing is touched", async () => {
  await using world = await changed();
  await otherReadme(world);
  for (const where of ["--in-place", "--workspace"]) {
    const ran = await world.amof(["ticket", "start", "T-1", "--carry", where, "--json"]);
    assertEquals([ran.code, ran.json()["error"]], [1, "would_lose_work"], ran.stdout);
    assertStringIncludes(String(ran.json()["message"]), "README.md");
    assertEquals(await standing(world, world.clone("api")), ["main", SORTED]);
  }
});

Deno.test("work that the new branch has otherwise goes along from what is checked out, by what the refusal says", async () => {
  await using world = await changed();
  await otherReadme(world);
  const before = await standing(world, world.clone("api"));
  const refused = await world.amof(["ticket", "start", "T-1", "--carry", "--repo", "api"]);
  const lines = /(git -C \S+ switch --create \S+)\nThen repeat: (amof .*)$/m.exec(refused.stderr);
  assert(lines !== null, refused.stderr);
  const [, make = "", again = ""] = lines;
  await world.git(world.control, ...make.split(" ").slice(1));
  assertEquals((await world.amof(again.split(" ").slice(1))).code, 0, again);
  const [, status] = before;
  assertEquals(await standing(world, world.clone("api")), ["feature/T-1", status]);
});

Deno.test("what a refused start puts away is shown in the status of the ticket, with what brings it back", async () => {
  await using world = await changed();
  await otherReadme(world);
  const before = await standing(world, world.clone("api"));
  const refused = await world.amof(["ticket", "start", "T-1", "--carry", "--repo", "api"]);
  const away = /^Or put them away for main: amof (.* --stash)$/m.exec(refused.stderr)?.[1] ?? "";
  assertEquals((await world.amof(away.split(" "))).code, 0, refused.stderr);
  assertEquals((await standing(world, world.clone("api")))[1], "");
  const { stdout } = await world.amof(["status"]);
  const back = /^Put away for main in api: amof (.*)$/m.exec(stdout)?.[1] ?? "";
  assertEquals((await world.amof(back.split(" "))).code, 0, stdout);
  assertEquals(await standing(world, world.clone("api")), before);
  assert(!(await world.amof(["status"])).stdout.includes("Put away for"));
});

Deno.test("work goes along into the ticket's own workspace, and home with it", async () => {
  await using world = await changed();
  const args = ["ticket", "start", "T-1", "--workspace", "--carry", "--repo", "api", "--json"];
  const ran = await world.amof(args);
  assertEquals(ran.code, 0, ran.stderr);
  assertEquals(rows(ran.json(), "taken"), [{ repo: "api", files: 3 }]);
  const own = join(String(ran.json()["directory"]), "repos", "api");
  assertEquals(await standing(world, own), ["feature/T-1", SORTED]);
  assertEquals(await standing(world, world.clone("api")), ["main", ""]);
  for (const clone of [own, world.clone("api")]) {
    assertEquals(await world.git(clone, "stash", "list"), "");
  }
  assertEquals((await world.amof(["ticket", "move", "T-1", "--in-place", "--yes"])).code, 0);
  assertEquals((await world.amof(["ticket", "switch", "T-1"])).code, 0);
  assertEquals(await standing(world, world.clone("api")), ["feature/T-1", SORTED]);
});

Deno.test("where the work does not arrive in a workspace, all of it is where it was", async () => {
  await using world = await changed();
  // What is not fetched yet is only found out in the new clone.
  const seed = join(world.directory, "seed", "api");
  await Deno.writeTextFile(join(seed, "README.md"), "theirs\n");
  await world.git(seed, "commit", "--quiet", "-am", "Write another README");
  await world.git(seed, "push", "--quiet", join(world.remotes, "api.git"), "main");
  const ran = await world.amof(["ticket", "start", "T-1", "--workspace", "--carry", "--json"]);
  assertEquals([ran.code, ran.json()["error"]], [1, "would_lose_work"], ran.stdout);
  assertEquals(await standing(world, world.clone("api")), ["main", SORTED]);
  assertEquals(await world.git(world.clone("api"), "stash", "list"), "");
  assertEquals(rows((await world.amof(["ticket", "list", "--json"])).json(), "tickets"), []);
});

Deno.test("a commit that was made on the base branch goes along to a ticket, and is pushed with it", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "early.txt"), "early\n");
  await world.git(api, "add", "early.txt");
  await world.git(api, "commit", "--quiet", "--message", "Begin too early");
  const mine = (await world.git(api, "rev-parse", "HEAD")).trim();
  const plain = await world.amof(["ticket", "start", "T-1", "--dry-run"]);
  assertStringIncludes(plain.stdout, "Create feature/T-1 in api from main\n");
  const started = await world.amof(["ticket", "start", "T-1", "--carry"]);
  assertStringIncludes(started.stdout, "new branch, with 1 commit\n");
  assertEquals((await world.git(api, "rev-parse", "feature/T-1")).trim(), mine);
  const [row] = rows((await world.amof(["status", "--json"])).json(), "repos");
  // The base branch has nothing besides.
  assertEquals([row?.["ahead"], row?.["other_unpushed"]], [1, undefined]);
  assertEquals((await world.amof(["push", "--yes"])).code, 0);
  const [after] = rows((await world.amof(["status", "--json"])).json(), "repos");
  assertEquals(after?.["status"], "OK");
});

Deno.test("a base branch whose commits went along still has them, and the command that takes them off is named", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const api = world.clone("api");
  await world.git(api, "commit", "--quiet", "--allow-empty", "-m", "Ours");
  const preview = await world.amof(["ticket", "start", "T-1", "--carry", "--dry-run"]);
  assertStringIncludes(preview.stdout, "api: main here keeps the commit, too\n");
  const started = await world.amof(["ticket", "start", "T-1", "--carry"]);
  const command = / git -C (\S+) (branch --force main origin\/main)/.exec(started.stdout) ?? [];
  assertEquals(command[1], api, started.stdout);
  const ours = await world.git(api, "rev-parse", "HEAD");
  await world.git(api, ...(command[2] ?? "").split(" "));
  assertEquals(
    await world.git(api, "rev-parse", "main"),
    await world.git(api, "rev-parse", "origin/main"),
  );
  assertEquals(await world.git(api, "rev-parse", "feature/T-1"), ours);
  // What the start has done is not taken back over that, and nothing is lost.
  const undone = await world.amof(["undo", "--yes"]);
  assertStringIncludes(undone.stderr, "refs/heads/main changed since");
  assertEquals(await world.git(api, "rev-parse", "HEAD"), ours);
});

Deno.test("a commit that does not go along because the branch is there is told", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const api = world.clone("api");
  await world.git(api, "push", "--quiet", "origin", "main:feature/T-1");
  await Deno.writeTextFile(join(api, "new.txt"), "new\n");
  await world.git(api, "add", "new.txt");
  await world.git(api, "commit", "--quiet", "-m", "Write new.txt");
  const started = await world.amof(["ticket", "start", "T-1", "--carry"]);
  assertStringIncludes(
    started.stdout,
    "⚠ api: 1 commit not taken along from main: feature/T-1 is there",
  );
});

Deno.test("changes on another branch than that of the active ticket go along to it, or stay where they do not fit", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const api = world.clone("api");
  await world.amof(["ticket", "start", "T-1", "--quiet"]);
  await Deno.writeTextFile(join(api, "new.txt"), "new\n");
  await world.git(api, "add", "new.txt");
  await world.git(api, "commit", "--quiet", "-m", "Write new.txt");
  for (const flags of [[], ["--stash"]]) {
    await world.git(api, "switch", "--quiet", "main");
    await Deno.writeTextFile(join(api, "wip.txt"), "wip\n");
    const switched = await world.amof(["ticket", "switch", "T-1", ...flags]);
    assertEquals(switched.code, 0, switched.stderr);
    assertEquals(await standing(world, api), ["feature/T-1", "?? wip.txt"]);
  }
  await world.git(api, "switch", "--quiet", "main");
  await Deno.writeTextFile(join(api, "new.txt"), "mine\n");
  const refused = await world.amof(["ticket", "switch", "T-1", "--stash", "--json"]);
  assertEquals([refused.code, refused.json()["error"]], [1, "would_lose_work"], refused.stdout);
  assertEquals(await standing(world, api), ["main", "?? wip.txt\n?? new.txt"]);
  assertEquals(await world.git(api, "stash", "list"), "");
});

Deno.test("a ticket with a workspace of its own says which work stays behind, and how it comes along", async () => {
  await using world = await changed();
  const start = ["ticket", "start", "T-1", "--workspace"];
  const stays = "Uncommitted changes of api stay in the base workspace; ";
  const plan = await world.amof([...start, "--dry-run"]);
  assertStringIncludes(plan.stdout, `${stays}--carry takes them along\n`);
  const made = await world.amof(start);
  assertStringIncludes(
    made.stdout,
    `⚠ ${stays}to take them along: amof undo, then the same start with --carry\n`,
  );
  assertEquals((await world.amof(["undo", "--yes"])).code, 0);
  const taken = await world.amof([...start, "--carry"]);
  assertEquals([taken.code, taken.stdout.includes(stays)], [0, false]);
  const there = join(world.control, "worktrees", "demo@T-1", "repos", "api");
  assertEquals(await standing(world, there), ["feature/T-1", SORTED]);
});
