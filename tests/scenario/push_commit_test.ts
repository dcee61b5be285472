/**
 * `amof push --commit`: what is committed, how, and what never is.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";
import { activate, commit, outcome, POSIX, push, remote, results } from "./_push.ts";

Deno.test("amof push --commit still refuses the base branch, and commits nothing there", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "mine\n");
  const before = await world.fingerprint();
  const ran = await push(world, "--commit");
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "skipped", "push_refused"]]);
  assertMatch(String(pick(ran.json(), "hint")), /--allow-base/);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof push --commit takes tracked, untracked and deleted files, and never .amof", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-7");
  await commit(world, clone, "doomed.txt");
  await commit(world, clone, "kept.txt");
  await Deno.remove(join(clone, "doomed.txt"));
  await Deno.writeTextFile(join(clone, "README.md"), "changed\n");
  await Deno.mkdir(join(clone, "deep", "er"), { recursive: true });
  await Deno.writeTextFile(join(clone, "deep", "er", "new file.txt"), "new\n");
  await Deno.mkdir(join(clone, ".amof"));
  await Deno.writeTextFile(join(clone, ".amof", "profile.md"), "ours\n");
  const ran = await push(world, "--commit");
  assertEquals([ran.code, pick(ran.json(), "result", "committed_as")], [
    0,
    "T-7 Commit uncommitted changes",
  ]);
  const committed = await world.git(clone, "show", "--format=%s", "--name-status", "HEAD");
  assertEquals(committed.split("\n"), [
    "T-7 Commit uncommitted changes",
    "",
    "M\tREADME.md",
    "A\tdeep/er/new file.txt",
    "D\tdoomed.txt",
  ]);
  assertEquals(await world.git(clone, "status", "--porcelain"), "?? .amof/");
  assertEquals(
    await remote(world, "api", "feature/T-7"),
    await world.git(clone, "rev-parse", "HEAD"),
  );
});

Deno.test("amof push --commit writes the message as it is given", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-7");
  await Deno.writeTextFile(join(clone, "new.txt"), "new\n");
  const message = "-- $(touch x) `id`\n\n# not a comment\n'quoted' \"text\"";
  const ran = await push(world, "--commit", `--message=${message}`);
  assertEquals([ran.code, pick(ran.json(), "result", "committed_as")], [0, undefined]);
  assertEquals(await world.git(clone, "log", "-1", "--format=%B"), `${message}\n`);
});

Deno.test("amof push --commit takes the ticket of the default message from the active ticket", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await activate(world, "PROJ-9", { api: "topic" });
  await world.git(clone, "switch", "--quiet", "-c", "topic");
  await Deno.writeTextFile(join(clone, "new.txt"), "new\n");
  assertEquals((await push(world, "--commit")).code, 0);
  assertEquals(
    await world.git(clone, "log", "-1", "--format=%s"),
    "PROJ-9 Commit uncommitted changes",
  );
});

Deno.test({
  name: "amof push --commit runs the user's commit hooks and loses nothing when one refuses",
  ignore: !POSIX, // a hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const clone = world.clone("api");
    for (const repo of ["api", "web"]) {
      await world.git(world.clone(repo), "switch", "--quiet", "-c", "feature/T-1");
      await Deno.writeTextFile(join(world.clone(repo), "new.txt"), "mine\n");
    }
    await world.hook(join(clone, ".git"), "pre-commit", "echo lint failed >&2; exit 1");
    const head = await world.git(clone, "rev-parse", "HEAD");
    const ran = await push(world, "--commit");
    assertEquals(ran.code, 5);
    assertEquals(outcome(ran), [["api", "failed", "git_failed"], ["web", "pushed", null]]);
    assertEquals(await world.git(clone, "rev-parse", "HEAD"), head);
    assertEquals(await Deno.readTextFile(join(clone, "new.txt")), "mine\n");
  },
});

Deno.test({
  name: "amof push --commit tells that a commit was made whose push failed",
  ignore: !POSIX, // a hook is a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const clone = world.clone("api");
    await world.git(clone, "switch", "--quiet", "-c", "feature/T-1");
    await Deno.writeTextFile(join(clone, "new.txt"), "mine\n");
    await world.hook(join(clone, ".git"), "pre-push", "echo not today >&2; exit 1");
    const head = await world.git(clone, "rev-parse", "HEAD");
    const ran = await push(world, "--commit");
    const [row] = results(ran);
    assertEquals(row?.["result"], "failed");
    assertMatch(String(row?.["detail"]), /^committed, but not pushed: /);
    assertEquals(row?.["commits"], 1);
    assertEquals(row?.["commit"], await world.git(clone, "rev-parse", "HEAD"));
    assert(row?.["commit"] !== head);
  },
});

Deno.test("amof push --commit does not conclude a merge that is in progress", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", "feature/theirs");
  await commit(world, clone, "theirs.txt");
  await world.git(clone, "switch", "--quiet", "-c", "feature/mine", "main");
  const head = await commit(world, clone, "mine.txt");
  await world.git(clone, "merge", "--quiet", "--no-commit", "feature/theirs");
  for (const args of [["--commit"], []]) {
    const ran = await push(world, ...args);
    assertEquals(ran.code, 1);
    assertEquals(outcome(ran), [["api", "skipped", "repo_in_progress"]]);
    assertMatch(String(results(ran)[0]?.["detail"]), /merge is in progress/);
  }
  assertEquals(await world.git(clone, "rev-parse", "HEAD"), head);
  assertEquals(await remote(world, "api", "feature/mine"), null);
});

Deno.test("amof push --dry-run with nothing to push does not promise a push", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const even = await world.amof(["push", "--dry-run"]);
  assertEquals(even.code, 0);
  assertStringIncludes(even.stderr, "hint: There is nothing to carry out");
  assertEquals(even.stdout.includes("⚠"), false);
  await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
  const dirty = await world.amof(["push", "--dry-run"]);
  assertEquals(dirty.code, 0);
  assertStringIncludes(dirty.stderr, "As things stand it would fail: Pushed nothing");
  assertStringIncludes(dirty.stderr, "amof push --repo api --commit --allow-base");
});

const NESTED: readonly (readonly [string, (world: World, inner: string) => Promise<unknown>])[] = [
  ["with commits", async (world, inner) => {
    await Deno.writeTextFile(join(inner, "work.txt"), "work\n");
    await world.git(inner, "add", ".");
    await world.git(inner, "commit", "--quiet", "-m", "Inner work");
  }],
  ["without commits", () => Promise.resolve()],
  ["that was staged", async (world, inner) => {
    await world.git(inner, "commit", "--quiet", "--allow-empty", "-m", "Inner work");
    await world.git(world.clone("api"), "add", "deep/inner");
  }],
];

for (const [what, fill] of NESTED) {
  Deno.test(`amof push --commit publishes no repository ${what} as the bare name of a commit`, async () => {
    await using world = await World.installed({ repos: ["api", "web"] });
    await world.commitOnFeature("api");
    await world.commitOnFeature("web");
    const inner = join(world.clone("api"), "deep", "inner");
    await Deno.mkdir(inner, { recursive: true });
    await world.git(inner, "init", "--quiet", "--initial-branch=main");
    await fill(world, inner);
    const head = await world.git(world.clone("api"), "rev-parse", "HEAD");
    const ran = await push(world, "--commit");
    assertEquals(ran.code, 5, ran.stdout);
    const [api, web] = rows(ran.json(), "result", "repos");
    assertEquals([api?.["result"], web?.["result"]], ["skipped", "pushed"]);
    assertStringIncludes(
      String(api?.["detail"]),
      "not submodules: deep/inner; a commit would only",
    );
    assertStringIncludes(String(api?.["fix"]), "git submodule add");
    assertEquals(await world.git(world.clone("api"), "rev-parse", "HEAD"), head);
    await world.git(
      world.clone("api"),
      "rm",
      "--quiet",
      "--cached",
      "--force",
      "--ignore-unmatch",
      "deep/inner",
    );
    await Deno.writeTextFile(join(world.clone("api"), ".gitignore"), "deep/\n");
    assertEquals((await push(world, "--commit")).code, 0);
    assertEquals((await world.git(world.clone("api"), "ls-files")).includes("deep"), false);
  });
}
