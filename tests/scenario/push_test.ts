/**
 * `amof push` from outside: what it sends, previews and remembers.
 *
 * @module
 */

import { assertEquals, assertMatch, assertObjectMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";
import { commit, POSIX, push, refs, remote, results } from "./_push.ts";

/** A time as answers have it. */
const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

Deno.test("amof push sends a new branch and makes it the upstream", async () => {
  await using world = await World.installed();
  const head = await world.commitOnFeature("api");
  const ran = await push(world);
  assertEquals(ran.code, 0);
  assertObjectMatch(ran.json(), { status: "success", exit_code: 0 });
  assertEquals(pick(ran.json(), "result", "outcome"), "success");
  assertEquals(results(ran), [
    {
      name: "api",
      branch: "feature/T-1",
      commits: 1,
      commit: head,
      fix: null,
      result: "pushed",
      detail: "origin/feature/T-1 (new branch)",
      code: null,
    },
    {
      name: "web",
      result: "skipped",
      branch: "main",
      commits: 0,
      commit: null,
      detail: "up to date",
      code: null,
      fix: null,
    },
    {
      name: "docs",
      result: "skipped",
      branch: "main",
      commits: 0,
      commit: null,
      detail: "read-only repositories are never pushed",
      code: null,
      fix: null,
    },
  ]);
  assertEquals(await remote(world, "api", "feature/T-1"), head);
  assertEquals(
    await world.git(world.clone("api"), "rev-parse", "--abbrev-ref", "@{upstream}"),
    "origin/feature/T-1",
  );
});

Deno.test("amof push counts the commits it sends to a known branch", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  await push(world);
  for (const file of ["a.txt", "b.txt"]) await commit(world, world.clone("api"), file);
  const ran = await push(world);
  assertEquals(results(ran).map((row) => [row["commits"], row["detail"]]), [
    [2, "origin/feature/T-1"],
  ]);
});

Deno.test("amof push remembers what was pushed and nothing else", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const head = await world.commitOnFeature("api");
  await world.commitOnFeature("web");
  await Deno.rename(join(world.remotes, "web.git"), join(world.remotes, "web.away"));
  await push(world);
  const state = await world.state();
  assertEquals(rows(state, "repos").map((row) => row["name"]), ["api"]);
  const { pushed_at, ...last } = pick(state, "repos", 0, "last_push") as Record<string, unknown>;
  assertEquals(last, { branch: "feature/T-1", commit: head.slice(0, 7), commit_full: head });
  assertMatch(String(pushed_at), UTC);
  const status = await world.amof(["status", "--json"]);
  assertEquals(pick(status.json(), "repos", 0, "last_push", "commit_full"), head);
});

Deno.test({
  name: "amof push replaces the state file in one step and keeps unknown keys",
  ignore: !POSIX, // hard links tell a replaced file from one that was written over
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    await world.commitOnFeature("api");
    await world.patchState({
      future: { deep: [1, 2] },
      repos: [{ name: "api", note: "mine" }, { name: "other", note: "kept" }],
      tickets: { "T-1": { created_at: "x", ecosystem: "demo", repos: {}, plan: ["a"] } },
    });
    const before = await Deno.readTextFile(world.stateFile());
    const link = join(world.directory, "old-state.json");
    await Deno.link(world.stateFile(), link);
    assertEquals((await push(world)).code, 0);
    assertEquals(await Deno.readTextFile(link), before);
    const state = await world.state();
    assertEquals(state["future"], { deep: [1, 2] });
    assertEquals(pick(state, "tickets", "T-1", "plan"), ["a"]);
    assertEquals(rows(state, "repos").map((row) => [row["name"], row["note"]]), [
      ["api", "mine"],
      ["other", "kept"],
    ]);
    assertEquals(pick(state, "repos", 0, "last_push", "branch"), "feature/T-1");
    assertEquals(
      await Array.fromAsync(Deno.readDir(join(world.workspace(), ".amof")), (entry) => entry.name),
      ["state.json"],
    );
  },
});

Deno.test("amof push leaves the control repository alone", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.addRemote("control");
  await world.git(world.control, "remote", "add", "origin", world.url("control"));
  await world.write("control/worktrees/demo/README.md", "changed in the workspace\n");
  await world.write("control/README.md", "changed\n");
  const head = await world.git(world.workspace(), "rev-parse", "HEAD");
  await world.commitOnFeature("api");
  const before = await refs(world, "control");
  assertEquals((await push(world, "--commit")).code, 0);
  assertEquals(await refs(world, "control"), before);
  assertEquals(await world.git(world.workspace(), "rev-parse", "HEAD"), head);
  assertEquals(await world.git(world.workspace(), "status", "--porcelain"), " M README.md");
  assertEquals(await world.git(world.control, "status", "--porcelain"), " M README.md");
});

Deno.test("amof push --dry-run shows branch, remote and count of every repository", async () => {
  await using world = await World.installed();
  const head = await world.commitOnFeature("api");
  await world.git(world.clone("web"), "switch", "--quiet", "-c", "feature/T-2");
  await Deno.writeTextFile(join(world.clone("web"), "new.txt"), "new\n");
  const before = await world.fingerprint();
  const json = await world.amof(["push", "--dry-run", "--commit", "--json"]);
  assertEquals(json.code, 0);
  assertEquals(pick(json.json(), "repos_affected"), ["api", "web"]);
  assertObjectMatch(json.json(), {
    preview: {
      repos: [
        {
          name: "api",
          branch: "feature/T-1",
          remote: "origin",
          url: world.url("api"),
          ahead: 1,
          head,
          new_branch: true,
          commit_files: 0,
        },
        { name: "web", branch: "feature/T-2", ahead: 0, commit_files: 1 },
      ],
      skipped: [{ name: "docs", reason: "readonly", blocked: false }],
      message: "T-2 Commit uncommitted changes",
    },
  });
  const human = await world.amof(["push", "--dry-run", "--commit"]);
  assertStringIncludes(human.stdout, "[plan] Would push 2 repos.");
  assertStringIncludes(
    human.stdout,
    "api  feature/T-1 → origin  (1 commit ahead, new branch)",
  );
  assertStringIncludes(human.stdout, "Commit message: T-2 Commit uncommitted changes");
  assertEquals(await world.changesSince(before), []);
});

Deno.test({
  name: "amof push shows a link to a pull request that a remote prints",
  ignore: !POSIX, // the hook is a shell script
  async fn() {
    await using world = await World.installed();
    const link = "https://example.com/api/pull/new/x";
    await world.hook(
      join(world.remotes, "api.git"),
      "post-receive",
      `echo >&2; echo "Create a pull request for 'x' by visiting:" >&2; echo "   ${link}" >&2`,
    );
    await world.commitOnFeature("api");
    const ran = await world.amof(["push", "--yes"]);
    assertEquals([ran.code, ran.stderr], [0, ""]);
    assertMatch(ran.stdout, /^api {2}pull request {2}https:\/\/example\.com\/api\/pull\/new\/x$/m);
    await commit(world, world.clone("api"), "more.txt");
    assertEquals(results(await push(world))[0]?.["pull_request_url"], link);
  },
});
