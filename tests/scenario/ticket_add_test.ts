/**
 * `amof ticket add`: further repositories in the workspace of a ticket, from outside.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { commitIn, ownClone, ownDirectory } from "../support/own_ticket.ts";
import { recordOf } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

/** A ticket that works on `api` and reads `docs`; `web` is not in it. */
function started(...flags: string[]): Promise<World> {
  return World.like(`a ticket in api ${flags.join(" ")}`, async (world) => {
    await world.makeInstalled();
    const args = ["ticket", "start", "T-1", "--workspace", "--repo", "api", ...flags];
    assertEquals((await world.amof(args)).code, 0);
  });
}

const ADD = ["ticket", "add", "T-1"];

async function names(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort();
}

Deno.test("amof ticket add brings a repository into a ticket, with its ignored files, and leaves the rest", async () => {
  await using world = await started();
  const [api, web] = [ownClone(world, "T-1", "api"), ownClone(world, "T-1", "web")];
  await Deno.writeTextFile(join(world.clone("web"), ".git", "info", "exclude"), ".env\n");
  await Deno.writeTextFile(join(world.clone("web"), ".env"), "SECRET=1\n");
  await Deno.writeTextFile(join(world.clone("web"), ".worktreeinclude"), ".env\n");
  await Deno.writeTextFile(join(api, "dirty.txt"), "dirty\n");
  const before = await recordOf(ownDirectory(world, "T-1"));
  const editor = join(ownDirectory(world, "T-1"), "amof.demo.T-1.code-workspace");
  await Deno.writeTextFile(
    editor,
    (await Deno.readTextFile(editor)).replace('"settings": {', '// mine\n  "settings": {'),
  );

  const plan = await world.amof([...ADD, "--repo", "web", "--dry-run"]);
  assertStringIncludes(plan.stdout, "Clone web on feature/T-1");
  assertStringIncludes(plan.stdout, ".env (9 bytes)");
  assertEquals(await world.exists(web), false);

  const ran = await world.amof([...ADD, "--repo", "web,api", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(
    rows(ran.json(), "repos").map(({ name, branch, action }) => [name, branch, action]),
    [["web", "feature/T-1", "create"]],
  );
  assertEquals(rows(ran.json(), "skipped"), [{ name: "api", reason: "in the ticket already" }]);
  assertEquals(await world.git(web, "status", "--short", "--branch"), "## feature/T-1");
  assertEquals(await Deno.readTextFile(join(web, ".env")), "SECRET=1\n");
  assertEquals(await Deno.readTextFile(join(api, "dirty.txt")), "dirty\n");
  const after = await recordOf(ownDirectory(world, "T-1"));
  assertEquals([pick(after, "repos", "api"), after["env"]], [
    pick(before, "repos", "api"),
    before["env"],
  ]);
  assertEquals(pick(after, "repos", "web", "start"), await world.git(web, "rev-parse", "HEAD"));
  const text = await Deno.readTextFile(editor);
  assertStringIncludes(text, "// mine");
  assertStringIncludes(text, '"repos/web"');
  assertEquals(await names(join(world.control, "worktrees")), ["demo", "demo@T-1"]);

  // It is a repository of the ticket like any other: worked on, pushed, and its mirror stays.
  await Deno.remove(join(api, "dirty.txt"));
  await commitIn(web, world);
  const pushed = await world.amof(["push", "-t", "T-1", "--yes", "--json"]);
  assertEquals(pushed.code, 0, pushed.stdout);
  await world.amof(["mirror", "prune", "--yes"]);
  await world.git(web, "fsck", "--connectivity-only");
  const again = await world.amof([...ADD, "--repo", "web"]);
  assertStringIncludes(again.stdout, "Added nothing to T-1.");
});

Deno.test("amof ticket add makes what was there to be read writable, unless something is in the way", async () => {
  await using world = await started("--context", "all");
  const web = ownClone(world, "T-1", "web");
  const env = { cwd: web };
  await Deno.writeTextFile(join(web, "dirty.txt"), "dirty\n");
  const dirty = await world.amof([...ADD, "--repo", "web", "--json"]);
  assertEquals([dirty.code, dirty.json()["error"]], [1, "repo_dirty"]);
  await Deno.remove(join(web, "dirty.txt"));

  const read = await world.amof([...ADD, "--repo", "web", "--context"]);
  assertStringIncludes(read.stdout, "– web: read already");
  const docs = await world.amof([...ADD, "--repo", "docs"]);
  assertStringIncludes(docs.stdout, "– docs: read-only, and there already");

  const ran = await world.amof([...ADD, "--repo", "web"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertMatch(ran.stdout, /web +feature\/T-1 +new branch, was to read/);
  await commitIn(web, world);
  const status = rows((await world.amof(["status", "--json"], env)).json(), "repos");
  assertEquals(
    status.map(({ name, role, branch }) => [name, role, branch]),
    [["api", "work", "feature/T-1"], ["web", "work", "feature/T-1"], ["docs", "context", "main"]],
  );
  const pushed = await world.amof(["push", "-t", "T-1", "--yes", "--json"]);
  assertEquals(pushed.code, 0, pushed.stdout);
});

Deno.test("amof ticket add refuses what nobody named, what is not there, and what lies in the way", async () => {
  await using world = await started();
  const error = async (...args: string[]) => {
    const ran = await world.amof(["ticket", "add", ...args, "--json"]);
    return [ran.code, ran.json()["error"]];
  };
  assertEquals(await error("T-1"), [2, "invalid_arguments"]);
  assertEquals(await error("T-1", "--repo", "nope"), [2, "repo_not_found"]);
  assertEquals(await error("T-9", "--repo", "web"), [2, "ticket_not_found"]);
  const web = ownClone(world, "T-1", "web");
  await Deno.mkdir(web, { recursive: true });
  await Deno.writeTextFile(join(web, "mine.txt"), "mine\n");
  assertEquals(await error("T-1", "--repo", "web"), [1, "workspace_exists"]);
  assertEquals(await names(web), ["mine.txt"]);
  await Deno.remove(join(web, "mine.txt"));
  await Deno.rename(join(world.remotes, "web.git"), join(world.remotes, "away.git"));
  await Deno.remove(join(world.env["AMOF_HOME"] ?? "", "share", "mirrors"), { recursive: true });
  const record = await recordOf(ownDirectory(world, "T-1"));
  const [code] = await error("T-1", "--repo", "web");
  assertEquals(code, 1);
  assertEquals(await recordOf(ownDirectory(world, "T-1")), record);
  assertEquals(await names(web), []);
});

Deno.test("amof ticket add takes a repository with its work into the active ticket of the base workspace", async () => {
  await using world = await World.installed({ repos: ["api", "web", "docs"] });
  const started = await world.amof(["ticket", "start", "T-1", "--repo", "api"]);
  assertEquals(started.code, 0, started.stderr);
  const web = world.clone("web");
  const at = () => world.git(web, "status", "--short", "--branch");
  await world.git(web, "commit", "--quiet", "--allow-empty", "-m", "By mistake on main");
  await Deno.writeTextFile(join(web, "wip.txt"), "wip\n");
  const line = "amof ticket add T-1 --repo web";
  const held = ["status", "commit -m TEXT", "push"];
  for (const [index, words] of held.entries()) {
    const said = await world.amof([...words.split(" "), "--json"]);
    const offers = rows(said.json(), "suggested_actions").map((
      { tool, args },
    ) => [tool, pick(args, "ticket_id"), pick(args, "repos")]);
    if (index === 0) assertEquals(offers[0], ["amof_ticket_add", "T-1", ["web"]]);
    else assertStringIncludes(said.stdout, `take it into T-1: ${line}`);
  }

  const refused = await world.amof([...ADD, "--repo", "web", "--no-carry", "--json"]);
  assertEquals([refused.code, refused.json()["error"]], [1, "repo_dirty"], refused.stdout);
  const ran = await world.amof([...ADD, "--repo", "web,api"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stdout, "with 1 commit and 1 changed file");
  assertStringIncludes(ran.stdout, "api: in the ticket already");
  assertEquals(await at(), "## feature/T-1\n?? wip.txt");
  assertEquals(await world.git(web, "log", "-1", "--format=%s"), "By mistake on main");
  const listed = await world.amof(["ticket", "list", "--json"]);
  assertEquals(Object.keys(pick(listed.json(), "tickets", 0, "repos") ?? {}), ["api", "web"]);
  assertStringIncludes(
    (await world.amof([...ADD, "--repo", "web"])).stdout,
    "Added nothing to T-1.",
  );

  const undone = await world.amof(["undo", "--yes"]);
  assertEquals(undone.code, 0, undone.stderr);
  assertMatch(await at(), /^## main.*\n\?\? wip\.txt$/);
  await world.amof(["ticket", "switch", "main"]);
  const other = await world.amof([...ADD, "--repo", "web"]);
  assertEquals(other.code, 2);
  assertStringIncludes(other.stderr, "amof ticket switch T-1");
});

Deno.test("amof_ticket_add brings a repository in over MCP, and a bound server does not offer it", async () => {
  await using world = await started();
  const flags = ["--toolsets", "all", "--mode", "execute", "--ecosystem", "demo"];
  {
    await using client = new McpClient(world, flags);
    await client.initialize();
    const call = { ticket_id: "T-1", repos: ["web"] };
    const ran = await client.call("amof_ticket_add", call);
    // Its mirror has to be made first, which may take long.
    const ended = await client.finished(String(ran.data["run_id"]));
    assertEquals(ended["status"], "success", JSON.stringify(ended));
    const again = await client.call("amof_ticket_add", call);
    assertEquals(rows(again.data, "skipped").map(({ name }) => name), ["web"], again.text);
  }
  assertEquals(pick(await recordOf(ownDirectory(world, "T-1")), "repos", "web", "role"), "work");
  await using bound = new McpClient(world, [...flags, "--ticket", "T-1"]);
  await bound.initialize();
  const refused = await bound.call("amof_ticket_add", { ticket_id: "T-1", repos: ["docs"] });
  assert(refused.isError);
  assertEquals(refused.data["error"], "tool_not_available");
});
