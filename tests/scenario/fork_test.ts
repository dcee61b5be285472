/**
 * Clones of forks, whose base branch follows another remote than `origin`, from outside. The whole walk is the story
 * `tests/stories/fork.txtar`.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { callsOfGit, perClone } from "../support/calls_of_git.ts";
import { World } from "../support/world.ts";

/** Installs `api` as the clone of a fork, with what it is a fork of as the remote `upstream`. */
async function forked(): Promise<World> {
  const world = await World.installed({
    repos: ["api"],
    extra: "guardrails: {no_touch_paths: [guarded]}",
  });
  const api = world.clone("api");
  await world.git(world.directory, "clone", "--quiet", "--bare", world.url("api"), "upstream.git");
  await world.git(api, "remote", "add", "upstream", join(world.directory, "upstream.git"));
  await world.git(api, "fetch", "--quiet", "upstream");
  await world.git(api, "branch", "--quiet", "--set-upstream-to=upstream/main");
  return world;
}

/** Somebody commits a file to a branch of what it is a fork of; answers the commit. */
async function theirs(world: World, file: string): Promise<string> {
  const seed = join(world.directory, "seed", "api");
  await Deno.writeTextFile(join(seed, file), crypto.randomUUID());
  await world.git(seed, "add", ".");
  await world.git(seed, "commit", "--quiet", "-m", `Write ${file}`);
  await world.git(seed, "push", "--quiet", join(world.directory, "upstream.git"), "main");
  return await world.git(seed, "rev-parse", "HEAD");
}

Deno.test({
  name: "a clone of a fork costs one fetch more, and a look at it nothing",
  ignore: Deno.build.os === "windows", // a wrapped git
  async fn() {
    await using world = await forked();
    await theirs(world, "theirs.txt");
    const day = [
      [["status"], "status"],
      [["sync"], "fetch fetch status merge"],
      [["sync"], "fetch fetch status"],
      [["ticket", "start", "T-1"], "status ls-remote switch"],
      [["status"], "status"],
    ] as const;
    for (const [args, git] of day) {
      const { ran, calls } = await callsOfGit(world, args);
      assertEquals(ran.code, 0, ran.stderr);
      const verbs = (perClone(calls)["api"] ?? []).filter((verb) => verb !== "version");
      assertEquals(verbs.join(" "), git, args.join(" "));
    }
  },
});

Deno.test("amof sync goes on in a fork where what it is of is away, and by what was fetched before", async () => {
  await using world = await forked();
  const api = world.clone("api");
  const there = await theirs(world, "theirs.txt");
  await world.git(api, "fetch", "--quiet", "upstream");
  await world.git(join(world.remotes, "api.git"), "branch", "other", "main");
  await Deno.rename(join(world.directory, "upstream.git"), join(world.directory, "away.git"));
  const ran = await world.amof(["sync", "--json"]);
  const [row] = rows(ran.json(), "result", "repos");
  assertEquals([row?.["result"], row?.["commits"], row?.["code"]], ["failed", 1, "git_failed"]);
  assertMatch(String(row?.["detail"]), /^1 commit pulled; upstream: /);
  assertEquals(
    await world.git(api, "rev-parse", "main", "origin/other"),
    [
      there,
      await world.git(api, "rev-parse", "origin/main"),
    ].join("\n"),
  );
  const started = await world.amof(["ticket", "start", "T-1"]);
  assertEquals(started.code, 0, started.stderr);
  const failed = await world.amof(["ticket", "update", "--json"]);
  assertEquals(pick(failed.json(), "error"), "git_failed", failed.stdout);
  assertStringIncludes(String(pick(failed.json(), "hint")), "remote set-url upstream URL");
});

Deno.test("amof ticket update brings in what a fork is of, and a push of it counts as nobody's here", async () => {
  await using world = await forked();
  const api = world.clone("api");
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  await Deno.writeTextFile(join(api, "work.txt"), "work\n");
  await world.git(api, "add", ".");
  await world.git(api, "commit", "--quiet", "-m", "Work");
  // The guard keeps what is made here from going, and not what the others made.
  const there = await theirs(world, "guarded");
  const updated = await world.amof(["ticket", "update", "T-1"]);
  assertEquals(updated.code, 0, updated.stderr);
  assertEquals(
    await world.git(api, "log", "-1", "--format=%s"),
    "Merge upstream/main into feature/T-1",
  );
  assertEquals(await world.git(api, "rev-parse", "HEAD^2"), there);
  const pushed = await world.amof(["push", "--yes", "--json"]);
  assertEquals(pushed.code, 0, pushed.stdout);
  const [row] = rows(pushed.json(), "result", "repos");
  assertEquals([row?.["result"], row?.["commits"]], ["pushed", 2]);
  // What is in the fork alone is not merged.
  const ended = await world.amof(["ticket", "end", "T-1", "--cleanup", "--yes"]);
  assertStringIncludes(ended.stderr, "that main does not have");
});

for (const theirName of ["main", "trunk"]) {
  Deno.test(`a push of the base branch of a fork leaves it following upstream/${theirName}`, async () => {
    await using world = await forked();
    const api = world.clone("api");
    await world.git(api, "push", "--quiet", "upstream", "main:trunk");
    await world.git(api, "branch", "--quiet", `--set-upstream-to=upstream/${theirName}`);
    await Deno.writeTextFile(join(api, "mine.txt"), "mine\n");
    await world.git(api, "add", ".");
    await world.git(api, "commit", "--quiet", "-m", "Mine");
    const pushed = await world.amof(["push", "--allow-base", "--yes", "--json"]);
    const [row] = rows(pushed.json(), "result", "repos");
    assertEquals([row?.["result"], row?.["detail"]], ["pushed", "origin/main"], pushed.stdout);
    assertEquals(await world.git(api, "config", "branch.main.remote"), "upstream");
    assertEquals(await world.git(api, "config", "branch.main.merge"), `refs/heads/${theirName}`);
    // It is still asked what it has.
    await world.git(api, "push", "--quiet", "upstream", `main:${theirName}`);
    const there = join(world.directory, "theirs");
    await world.git(
      world.directory,
      "clone",
      "--quiet",
      "-b",
      theirName,
      join(world.directory, "upstream.git"),
      there,
    );
    await world.git(there, "commit", "--quiet", "--allow-empty", "-m", "Theirs");
    await world.git(there, "push", "--quiet");
    const synced = await world.amof(["sync", "--json"]);
    assertEquals(rows(synced.json(), "result", "repos")[0]?.["commits"], 1, synced.stdout);
    assertEquals(
      await world.git(api, "rev-parse", "main"),
      await world.git(there, "rev-parse", "HEAD"),
    );
  });
}

Deno.test("a branch that follows what a fork is of counts as unpushed only what its own remote branch lacks", async () => {
  await using world = await forked();
  const api = world.clone("api");
  await theirs(world, "theirs.txt");
  await world.git(api, "fetch", "--quiet", "upstream");
  await world.git(api, "switch", "--quiet", "--create", "feature/x");
  const commit = () => world.git(api, "commit", "--quiet", "--allow-empty", "-m", "Work");
  for (let at = 0; at < 2; at++) await commit();
  await world.git(api, "push", "--quiet", "origin", "feature/x");
  await world.git(api, "branch", "--quiet", "--set-upstream-to=upstream/main");
  for (const [commits, ahead] of [[0, 0], [1, 1]] as const) {
    for (let at = 0; at < commits; at++) await commit();
    const [row] = rows((await world.amof(["status", "--json"])).json(), "repos");
    assertEquals([row?.["ahead"], row?.["behind"], row?.["unpushed"]], [ahead, 1, ahead > 0]);
  }
});

Deno.test("the end of a ticket says where its work is that only the fork's own base branch has", async () => {
  await using world = await forked();
  const api = world.clone("api");
  await world.amof(["ticket", "start", "T-1"]);
  await Deno.writeTextFile(join(api, "work.txt"), "work");
  await world.git(api, "add", ".");
  await world.git(api, "commit", "--quiet", "-m", "Work");
  await world.git(api, "push", "--quiet", "origin", "feature/T-1", "HEAD:main");
  const [row] = rows((await world.amof(["status", "--json"])).json(), "repos");
  assertEquals(row?.["status"], "OK");
  const plan = async () =>
    (await world.amof(["ticket", "end", "T-1", "--cleanup", "--dry-run"])).stdout;
  assertStringIncludes(await plan(), "merged into origin/main (not upstream/main)");
  await world.git(api, "push", "--quiet", "upstream", "HEAD:main");
  assertMatch(await plan(), /merged into main$/m);
});

Deno.test("amof status --fetch tells of each remote of a fork that does not answer, and writes nothing", async () => {
  await using world = await forked();
  const fork = join(world.remotes, "api.git");
  const upstream = join(world.directory, "upstream.git");
  const asked = async () => {
    const ran = await world.amof(["status", "--fetch", "--json"]);
    assertEquals(ran.code, 0, ran.stderr);
    const [row] = rows(ran.json(), "repos");
    return [row?.["remote"], /^(\w+): /.exec(String(row?.["remote_error"]))?.[1]];
  };
  assertEquals(await asked(), ["current", undefined]);
  await Deno.rename(fork, `${fork}.away`);
  assertEquals(await asked(), ["unreachable", "origin"]);
  await Deno.rename(`${fork}.away`, fork);
  assertEquals((await world.amof(["ticket", "start", "T-1"])).code, 0);
  await world.git(world.clone("api"), "push", "--quiet", "-u", "origin", "feature/T-1");
  await Deno.rename(upstream, `${upstream}.away`);
  assertEquals(await asked(), ["unreachable", "upstream"]);
});
