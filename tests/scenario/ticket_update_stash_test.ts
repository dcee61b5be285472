/**
 * `amof ticket update --stash`: uncommitted work stands aside while the base branches come in, and comes back.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { commitBefore } from "../support/meanwhile.ts";
import { type Ran, World } from "../support/world.ts";

const lines = (...changed: string[]) => [...changed, "2", "3", "4", "5", "6", "7", ""].join("\n");

/** Commits a file in a working copy. */
async function write(world: World, at: string, file: string, text: string): Promise<void> {
  await Deno.writeTextFile(join(at, file), text);
  await world.git(at, "add", file);
  await world.git(at, "commit", "--quiet", "-m", `Write ${file}`);
}

/**
 * A ticket over `api` and `web` with a commit of its own in each and uncommitted work of every kind in `api`, whose
 * base branches have moved on. `theirs` is the file of `api` that moved on.
 */
async function atWork(theirs: "other.txt" | "same.txt" | "README.md"): Promise<World> {
  return await World.like(`uncommitted work behind ${theirs}`, async (world) => {
    await world.makeInstalled({ repos: ["api", "web"] });
    assertEquals((await world.amof(["ticket", "start", "T-1", "--quiet"])).code, 0);
    for (const repo of ["api", "web"]) {
      await write(world, world.clone(repo), "same.txt", "mine\n");
      const seed = join(world.directory, "seed", repo);
      await write(world, seed, repo === "api" ? theirs : "other.txt", "theirs\n");
      await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
    }
    const api = world.clone("api");
    await Deno.writeTextFile(join(api, "README.md"), lines("changed"));
    await Deno.writeTextFile(join(api, "staged.txt"), "staged\n");
    await world.git(api, "add", "staged.txt");
    await Deno.writeTextFile(join(api, "staged.txt"), "staged, and changed\n");
    await Deno.writeTextFile(join(api, "new.txt"), "new\n");
  });
}

/** Everything uncommitted of `api`: status, index and files. */
async function work(world: World): Promise<string> {
  const api = world.clone("api");
  const read = (file: string) => Deno.readTextFile(join(api, file)).catch(() => "absent");
  return [
    await world.git(api, "status", "--porcelain"),
    await world.git(api, "diff", "--cached"),
    await read("README.md"),
    await read("staged.txt"),
    await read("new.txt"),
  ].join("\n");
}

function update(world: World, ...args: string[]): Promise<Ran> {
  return world.amof(["ticket", "update", "--json", ...args]);
}

function repos(ran: Ran): Record<string, unknown>[] {
  return rows(ran.json(), ...(pick(ran.json(), "result") ? ["result", "repos"] : ["repos"]));
}

function outcome(ran: Ran): unknown[] {
  return repos(ran).map((row) => [row["name"], row["result"], row["code"], row["kept"]]);
}

const stashes = (world: World) => world.git(world.clone("api"), "stash", "list", "--format=%gs");
const head = (world: World) => world.git(world.clone("api"), "rev-parse", "HEAD");

Deno.test("ticket update --stash keeps uncommitted work, updates, and gives it back as it was", async () => {
  await using world = await atWork("other.txt");
  const before = await work(world);
  await world.git(world.clone("api"), "fetch", "--quiet");
  const without = await update(world, "--repo", "api");
  assertEquals(outcome(without), [["api", "skipped", "repo_dirty", null]]);
  assertStringIncludes(without.stdout, "--stash");
  const plan = await update(world, "--stash", "--dry-run");
  assertStringIncludes(plan.stdout, "3 changed files kept and given back");
  assertEquals(await work(world), before);
  for (const how of ["--merge", "--rebase"]) {
    const ran = await update(world, "--stash", how, "--yes");
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals(
      outcome(ran),
      how === "--merge"
        ? [["api", "updated", null, null], ["web", "updated", null, null]]
        : [["api", "up_to_date", null, null], ["web", "up_to_date", null, null]],
    );
    assertEquals([await work(world), await stashes(world)], [before, ""]);
  }
  assert(await world.exists(join(world.clone("api"), "other.txt")));
});

for (const how of ["merge", "rebase"] as const) {
  Deno.test(`a conflict of a ${how} keeps the work until --continue or --abort, which give it back`, async () => {
    await using world = await atWork("same.txt");
    const [before, old, api] = [await work(world), await head(world), world.clone("api")];
    const stopped = await update(world, "--stash", `--${how}`, "--yes");
    assertEquals(stopped.code, 5, stopped.stdout);
    assertEquals(outcome(stopped)[0], ["api", "conflict", "repo_in_progress", "amof:T-1"]);
    assertStringIncludes(stopped.stdout, "its changes are kept as amof:T-1");
    assertMatch(await stashes(world), /amof:T-1$/);
    const back = await update(world, "--abort", "--yes");
    assertEquals([back.code, outcome(back)], [0, [["api", "taken_back", null, null]]], back.stdout);
    assertEquals([await work(world), await stashes(world), await head(world)], [before, "", old]);
    await update(world, "--stash", `--${how}`, "--yes");
    await Deno.writeTextFile(join(api, "same.txt"), "both\n");
    await world.git(api, "add", "same.txt");
    assertEquals((await update(world, "--continue", "--stash")).code, 2);
    const on = await update(world, "--continue");
    assertEquals([on.code, outcome(on)], [0, [["api", "updated", null, null]]], on.stdout);
    assertEquals([await work(world), await stashes(world)], [before, ""]);
    assertEquals(await Deno.readTextFile(join(api, "same.txt")), "both\n");
  });
}

Deno.test("work that does not go together with what came in stays kept; --abort takes the update back", async () => {
  await using world = await atWork("README.md");
  const [before, old, api] = [await work(world), await head(world), world.clone("api")];
  const ran = await update(world, "--stash");
  assertEquals(ran.code, 5, ran.stdout);
  assertEquals(outcome(ran), [
    ["api", "conflict", "would_lose_work", "amof:T-1"],
    ["web", "updated", null, null],
  ]);
  assertStringIncludes(ran.stdout, "amof ticket update --abort --repo api");
  assertEquals(await world.git(api, "status", "--porcelain"), "");
  assertEquals(await Deno.readTextFile(join(api, "README.md")), "theirs\n");
  // As long as nothing has changed it does not fit any better.
  assertEquals(outcome(await update(world, "--continue"))[0], [
    "api",
    "conflict",
    "would_lose_work",
    "amof:T-1",
  ]);
  const asked = await update(world, "--abort");
  assertEquals(asked.code, 4);
  // What is under way is what was resolved; here it is over.
  assertEquals(asked.stdout.includes("What was resolved"), false, asked.stdout);
  const back = await update(world, "--abort", "--yes");
  assertEquals([back.code, outcome(back)], [0, [["api", "taken_back", null, null]]], back.stdout);
  assertEquals([await work(world), await stashes(world), await head(world)], [before, "", old]);
  // Once more, and somebody goes on there: what was committed since is not taken back.
  await update(world, "--stash");
  await write(world, api, "later.txt", "later\n");
  const later = await head(world);
  const held = await update(world, "--abort", "--yes");
  assertEquals(outcome(held), [["api", "skipped", "repo_diverged", null]]);
  assertStringIncludes(held.stdout, "stash pop stash@{0}");
  await write(world, api, "README.md", "# api\n");
  const on = await update(world, "--continue");
  assertEquals([on.code, outcome(on)], [0, [["api", "given_back", null, null]]], on.stdout);
  assertEquals([await work(world), await stashes(world)], [before, ""]);
  assertEquals(await world.git(api, "rev-parse", "HEAD~1"), later);
});

Deno.test({
  name: "what somebody commits in the moment in which an update is taken back stays on its branch",
  ignore: Deno.build.os === "windows", // a script
  async fn() {
    await using world = await atWork("README.md");
    const [before, api] = [await work(world), world.clone("api")];
    assertEquals((await update(world, "--stash")).code, 5);
    const updated = await head(world);
    const env = await commitBefore(world, { clone: api, word: "--force-create" });
    const ran = await world.amof(["ticket", "update", "--abort", "--yes", "--json"], { env });
    const [row] = outcome(ran);
    assertEquals(row, ["api", "failed", "repo_changed", null], ran.stdout);
    assertEquals(
      await world.git(api, "log", "-1", "--format=%s", "refs/heads/feature/T-1"),
      "Mine",
    );
    assertEquals(await world.git(api, "rev-parse", "HEAD~1"), updated);
    assertEquals(await world.git(api, "status", "--porcelain"), "");
    assertStringIncludes(await stashes(world), "amof:T-1");
    await write(world, api, "README.md", "# api\n");
    const on = await update(world, "--continue");
    assertEquals([on.code, outcome(on)], [0, [["api", "given_back", null, null]]], on.stdout);
    assertEquals([await work(world), await stashes(world)], [before, ""]);
  },
});

Deno.test("ticket update --stash keeps nothing over what it keeps already, also over MCP", async () => {
  await using world = await atWork("other.txt");
  const api = world.clone("api");
  await world.git(api, "stash", "push", "--quiet", "-m", "amof:T-1");
  await Deno.writeTextFile(join(api, "README.md"), "more\n");
  await world.git(api, "fetch", "--quiet");
  await using client = new McpClient(world, ["--toolsets", "all", "--mode", "execute"]);
  await client.initialize({});
  const call = { ecosystem: "demo", stash: true, repos: ["api"] };
  const refused = await client.call("amof_ticket_update", call);
  assert(refused.isError, refused.text);
  assertStringIncludes(refused.text, "earlier ones that are kept as amof:T-1");
  assertEquals(await Deno.readTextFile(join(api, "README.md")), "more\n");
  await world.git(api, "checkout", "--quiet", "README.md");
  const started = await client.call("amof_ticket_update", call);
  assert(!started.isError, started.text);
  const run = await client.finished(String(started.data["run_id"]));
  assertEquals(rows(run, "result", "repos").map(({ name, result, kept }) => [name, result, kept]), [
    ["api", "updated", null],
  ]);
  assertEquals(await Deno.readTextFile(join(api, "README.md")), lines("changed"));
});

Deno.test({
  name: "what a full disk keeps is kept whole, is said with the way back, and comes back with it",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await atWork("other.txt");
    const [before, api] = [await work(world), world.clone("api")];
    const env = await world.wrapGit(
      `case "$*" in *update-index*) if [ -e '${join(api, "other.txt")}' ]; then
  echo 'fatal: unable to write new index file: No space left on device' >&2; exit 128
fi ;; esac`,
    );
    const ran = await world.amof(["ticket", "update", "--stash", "--json"], { env });
    assertEquals(ran.code, 5, ran.stdout);
    assertEquals(outcome(ran), [
      ["api", "failed", "git_failed", "amof:T-1"],
      ["web", "updated", null, null],
    ]);
    const [row] = repos(ran);
    assertMatch(String(row?.["detail"]), /No space left.*; its changes are kept as amof:T-1$/);
    assertEquals(
      row?.["fix"],
      "Free some disk space\nGet them back: amof ticket update --continue",
    );
    // Nothing of it is there alone.
    assertEquals(await world.git(api, "status", "--porcelain"), "");
    assertMatch(await stashes(world), /amof:T-1$/);
    // While the disk is full it stays so, and the next commands say that.
    const still = await world.amof(["ticket", "update", "--continue"], { env });
    assertEquals(still.code, 1, still.stderr);
    assertStringIncludes(still.stderr, "Give the changes of api back from amof:T-1");
    assertStringIncludes(still.stderr, "Free some disk space\nThen: amof doctor --repair");
    assertEquals(await world.git(api, "status", "--porcelain"), "");
    const on = await update(world, "--continue");
    assertEquals([on.code, await work(world), await stashes(world)], [0, before, ""], on.stdout);
    assertEquals((await world.amof(["doctor"])).code, 0);
  },
});
