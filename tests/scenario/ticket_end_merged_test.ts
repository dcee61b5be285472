/**
 * `amof ticket end` asks the remotes what is merged, ends in some repositories where that is asked, and gives commits that
 * are nowhere else up only by the ticket's name.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";

/** A ticket in `api` and `web`, pushed with a commit in each, whose branch of `api` was merged at the remote just now. */
function halfMerged(): Promise<World> {
  return World.like("a ticket that is merged in one of two repositories", async (world) => {
    await world.makeInstalled({ repos: ["api", "web"] });
    assertEquals((await world.amof(["ticket", "start", "T-1", "--quiet"])).code, 0);
    for (const repo of ["api", "web"]) {
      await Deno.writeTextFile(join(world.clone(repo), "work.txt"), "work\n");
    }
    assertEquals((await world.amof(["push", "--commit", "-m", "Work", "--yes"])).code, 0);
    const host = join(world.directory, "host");
    await world.git(world.directory, "clone", "--quiet", join(world.remotes, "api.git"), host);
    await world.git(host, "merge", "--quiet", "--no-ff", "-m", "Merge", "origin/feature/T-1");
    await world.git(host, "push", "--quiet", "origin", "main");
  });
}

const END = ["ticket", "end", "T-1", "--cleanup"];

const branchOn = async (world: World, repo: string) =>
  (await world.git(join(world.remotes, `${repo}.git`), "branch", "--list", "feature/T-1")).trim();

Deno.test("ticket end asks the remotes of the named repositories alone", async () => {
  await using world = await halfMerged();
  await Deno.rename(join(world.remotes, "web.git"), join(world.remotes, "away.git"));
  // Without a consent it comes as far as the question.
  const asked = async (...words: string[]) => {
    const { code, stderr } = await world.amof([...END, ...words]);
    return [code, /Cannot fetch "web"/.test(stderr)];
  };
  assertEquals(await asked("--only", "merged"), [4, true]);
  assertEquals(await asked("--repo", "api"), [4, false]);
  assertEquals(await asked("--repo", "!web", "--only", "merged"), [4, false]);
});

Deno.test("ticket end knows what was merged a moment ago, and offers what loses nothing first", async () => {
  await using world = await halfMerged();
  const refused = await world.amof([...END, "--yes", "--json"]);
  assertEquals(refused.code, 1, refused.stdout);
  assertEquals(rows(refused.json(), "details", "repos").map(({ name }) => name), ["web"]);
  assertMatch(
    String(pick(refused.json(), "hint")),
    /^End only what is merged: amof ticket end T-1 --cleanup --only merged\nGive .*--force$/,
  );
  const ended = await world.amof([...END, "--only", "merged", "--yes", "--json"]);
  assertEquals(ended.code, 0, ended.stdout);
  assertEquals([rows(ended.json(), "repos").map(({ name }) => name), pick(ended.json(), "rest")], [
    ["api"],
    ["web"],
  ]);
  assertEquals([await branchOn(world, "api"), await branchOn(world, "web")], ["", "feature/T-1"]);
  const status = rows((await world.amof(["status", "--json"])).json(), "repos");
  assertEquals(status.map(({ branch, status }) => [branch, status]), [
    ["main", "BEHIND"],
    ["feature/T-1", "OK"],
  ]);
  const again = await world.amof([...END, "--only", "merged", "--yes"]);
  assertEquals(again.code, 0, again.stderr);
  assertStringIncludes(again.stdout, "Kept T-1 as it is: no repository is as asked.");
  // A ticket that has ended is not gone on with.
  assertEquals((await world.amof(["ticket", "end", "T-1", "--yes"])).code, 0);
  const rest = ["ticket", "end", "T-1", "--cleanup", "--repo", "api", "--dry-run"];
  const preview = await world.amof(rest);
  assertEquals(preview.stdout.includes("Go on with T-1"), false, preview.stdout);
});

Deno.test("ticket end goes by what was fetched where a remote does not answer, and says so", async () => {
  await using world = await halfMerged();
  await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "gone.git"));
  const refused = await world.amof([...END, "--repo", "api", "--yes", "--json"]);
  assertEquals([refused.code, pick(refused.json(), "error")], [1, "would_lose_work"]);
  const local = await world.amof(["ticket", "end", "T-1", "--cleanup-local", "--yes"]);
  assertEquals(local.code, 0, local.stderr);
  assertStringIncludes(
    local.stdout,
    "The remote of api did not answer: this goes by what was fetched before",
  );
});

Deno.test("ticket end --force asks for the ticket's id over every door, and loses nothing before", async () => {
  await using world = await halfMerged();
  const refused = await world.amof([...END, "--force", "--yes", "--json"]);
  assertEquals([refused.code, pick(refused.json(), "confirmation", "type")], [4, "type"]);
  assertStringIncludes(String(pick(refused.json(), "hint")), "--confirm-name");
  await using mcp = new McpClient(world, ["--mode", "execute"]);
  await mcp.initialize({});
  const args = { ecosystem: "demo", ticket_id: "T-1", cleanup: true, force: true };
  const asked = await mcp.call("amof_ticket_end", args);
  assertEquals(pick(asked.data, "confirmation", "type"), "type", asked.text);
  for (const consent of [{ confirm: true }, { confirm_name: "demo" }]) {
    const refused = await mcp.call("amof_ticket_end", { ...args, ...consent });
    assertEquals(refused.isError, true, refused.text);
  }
  assertEquals(await branchOn(world, "web"), "feature/T-1");
  const ended = await world.amof([...END, "--force", "--confirm-name", "T-1"]);
  assertEquals(ended.code, 0, ended.stderr);
  assertEquals(await branchOn(world, "web"), "");
  const undo = await world.amof(["undo", "--dry-run"]);
  assertMatch(
    undo.stdout,
    /Not brought back: feature\/T-1 on the remotes of api and web/,
  );
});

Deno.test("ticket start --repo leaves a repository of the ticket before that cannot go as it is", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await world.amof(["ticket", "start", "T-1", "--repo", "api", "--quiet"]);
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "mine\n");
  const all = await world.amof(["ticket", "start", "T-2", "--json"]);
  assertEquals([all.code, pick(all.json(), "error")], [1, "repo_dirty"]);
  const ran = await world.amof(["ticket", "start", "T-2", "--repo", "web"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(
    ran.stdout,
    "api: stays on feature/T-1, because it has 1 uncommitted file",
  );
  assertEquals(await Deno.readTextFile(join(world.clone("api"), "new.txt")), "mine\n");
});

Deno.test("changes of a merged ticket that are put away come back before it ends", async () => {
  await using world = await halfMerged();
  const api = world.clone("api");
  assertEquals((await world.amof(["sync"])).code, 0);
  const offered = async () => {
    const { stdout } = await world.amof(["status", "--json"]);
    const [action] = rows(JSON.parse(stdout), "suggested_actions");
    return [pick(action, "id"), pick(action, "args", "step")];
  };
  assertEquals(await offered(), ["ticket_end", undefined]);
  await Deno.writeTextFile(join(api, "more.txt"), "more\n");
  await world.git(api, "stash", "push", "--quiet", "--include-untracked", "-m", "Mine");
  assertEquals(await offered(), ["ticket_end", undefined]);
  await world.git(api, "stash", "drop", "--quiet");
  await Deno.writeTextFile(join(api, "more.txt"), "more\n");
  await world.git(api, "stash", "push", "--quiet", "--include-untracked", "-m", "amof:T-1");
  assertEquals(await offered(), ["ticket_update", "continue"]);
  const status = await world.amof(["status"]);
  assertStringIncludes(status.stdout, "api: changes of the ticket are put away as amof:T-1");
  const fix = /fix: amof (ticket update .*)$/m.exec(status.stdout)?.[1] ?? "";
  assertEquals((await world.amof(fix.split(" "))).code, 0);
  assertEquals(await Deno.readTextFile(join(api, "more.txt")), "more\n");
});

Deno.test("ticket end counts what follows squashed work alone, and leads to the update that status names", async () => {
  await using world = await halfMerged();
  const [api, host] = [world.clone("api"), join(world.directory, "host")];
  await world.git(host, "reset", "--quiet", "--hard", "HEAD~1");
  await world.git(host, "merge", "--quiet", "--squash", "origin/feature/T-1");
  await world.git(host, "commit", "--quiet", "-m", "T-1 (#1)");
  await world.git(host, "push", "--quiet", "--force", "origin", "main", ":feature/T-1");
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  await Deno.writeTextFile(join(api, "more.txt"), "more\n");
  await world.git(api, "add", ".");
  await world.git(api, "commit", "--quiet", "-m", "More");
  const update = "amof ticket update T-1 --repo api";
  assertStringIncludes((await world.amof(["status"])).stdout, `fix: ${update}\n`);
  const refused = await world.amof([...END, "--repo", "api", "--yes"]);
  assertStringIncludes(refused.stderr, '"api" has 1 commit on feature/T-1');
  assertStringIncludes(refused.stderr, `hint: Bring what is new on top of main: ${update}\n`);
});

Deno.test("a ticket that has ended, and whose branch only the remote has, is not said to be merged", async () => {
  await using world = await halfMerged();
  const only = ["--repo", "web", "--yes"];
  assertEquals((await world.amof(["ticket", "end", "T-1", "--cleanup-local", ...only])).code, 0);
  assertEquals((await world.amof(["ticket", "end", "T-1", "--quiet"])).code, 0);
  const again = await world.amof(["ticket", "end", "T-1", "--cleanup-local", ...only]);
  assertMatch(again.stdout, /^web .* no +gone here before, its remote has it$/m);
  const refused = await world.amof(["ticket", "end", "T-1", "--cleanup", ...only]);
  assertMatch(
    refused.stderr,
    /^hint: See what is left of it: amof ticket list --ended\nGive the commits up/m,
  );
});

Deno.test("what is merged ends, but for a repository with changes, which stays with the way to another ticket", async () => {
  await using world = await halfMerged();
  const host = join(world.directory, "host-web");
  await world.git(world.directory, "clone", "--quiet", join(world.remotes, "web.git"), host);
  await world.git(host, "merge", "--quiet", "--no-ff", "-m", "Merge", "origin/feature/T-1");
  await world.git(host, "push", "--quiet", "origin", "main");
  const dirty = join(world.clone("web"), "new.txt");
  await Deno.writeTextFile(dirty, "new\n");
  const begin = "egin another ticket with them: amof ticket start TICKET-ID --carry --repo web";
  const whole = await world.amof([...END, "--yes"]);
  assertEquals(whole.code, 1);
  assertStringIncludes(
    whole.stderr,
    `"web" has 1 uncommitted file; nothing was changed\nhint: B${begin}`,
  );
  const ended = await world.amof([...END, "--only", "merged", "--yes"]);
  assertEquals(ended.code, 0, ended.stderr);
  assertStringIncludes(ended.stdout, `⚠ web stays, as it has 1 uncommitted file; b${begin}\n`);
  assertEquals([await branchOn(world, "api"), await branchOn(world, "web")], ["", "feature/T-1"]);
  assertEquals(await Deno.readTextFile(dirty), "new\n");
  const alone = await world.amof([...END, "--only", "merged", "--yes"]);
  assertEquals([alone.code, alone.stderr.includes(`B${begin}`)], [1, true]);
  assertEquals((await world.amof(["ticket", "start", "T-2", "--carry", "--quiet"])).code, 0);
  assertEquals((await world.amof([...END, "--yes"])).code, 0);
  assertEquals(await Deno.readTextFile(dirty), "new\n");
});
