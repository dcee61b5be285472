/**
 * Releases from a branch that began at an earlier version: what it has is what counts.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { CHANGELOG, giveRemote, releaseWorld, trainWorld } from "../support/release_world.ts";
import { writeProgram } from "../support/program.ts";
import { World } from "../support/world.ts";
import { record, refs } from "./_release.ts";

Deno.test("amof release goes on from the newest version that the branch has, not from the highest", async () => {
  await using world = await releaseWorld();
  const { control } = world;
  const minor = await world.amof(["release", "minor", "--yes", "--json"]);
  assertEquals(minor.code, 0, minor.stdout);
  await world.git(control, "switch", "--quiet", "-c", "release/0.1", "v0.1.0");
  await world.write("control/CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n- A fix\n");
  await world.git(control, "add", ".");
  await world.git(control, "commit", "--quiet", "-m", "Fix");
  const status = await world.amof(["release", "status"]);
  assertStringIncludes(status.stdout, "Found v0.1.0 as the current version, 1 commit since.");
  assertStringIncludes(status.stdout, "v0.2.0 is not in release/0.1, so it does not count here");
  const taken = await world.amof(["release", "minor", "--yes", "--json"]);
  assertEquals([taken.code, taken.json()["error"]], [1, "release_blocked"], taken.stdout);
  assertMatch(String(taken.json()["message"]), /the tag v0\.2\.0 exists, and is not in release/);
  assertMatch(String(taken.json()["hint"]), /Go on from it: git -C \S+ merge --no-edit v0\.2\.0/);
  const dry = await world.amof(["release", "patch", "--dry-run"]);
  assertStringIncludes(dry.stdout, "v0.2.0 is not in release/0.1");
  const fix = await world.amof(["release", "patch", "--no-push", "--yes", "--json"]);
  assertEquals([fix.code, pick(fix.json(), "result", "tag")], [0, "v0.1.1"], fix.stdout);
  assertEquals((await record(world, "v0.1.1"))["previous_tag"], "v0.1.0");
  const pushed = await world.amof(["release", "push", "--yes", "--json"]);
  assertEquals([pushed.code, pick(pushed.json(), "result", "tag")], [0, "v0.1.1"], pushed.stdout);
  assertMatch(await refs(world), /refs\/heads\/release\/0\.1\n.*refs\/tags\/v0\.1\.1/s);
  // The main branch is not led behind what it has.
  await world.git(control, "switch", "--quiet", "main");
  const after = await world.amof(["release", "status", "--json"]);
  assertEquals([after.json()["tag"], after.json()["beyond"]], ["v0.2.0", null], after.stdout);
});

Deno.test("amof release train knows a release again whose commit was rebased", async () => {
  await using world = await trainWorld(["web"]);
  const clone = world.clone("web");
  const train = ["release", "train", "bump", "minor", "--alpha", "--yes", "--json"];
  assertEquals((await world.amof([...train, "--no-push"])).code, 0);
  await world.git(clone, "commit", "--quiet", "--amend", "-m", "chore(release): v1.1.0-alpha.1");
  await world.git(clone, "commit", "--quiet", "--amend", "--date=2001-01-01T00:00:00", "--no-edit");
  const ran = await world.amof(train);
  assertEquals([ran.code, ran.json()["error"]], [1, "release_blocked"], ran.stdout);
  assertMatch(
    String(pick(ran.json(), "details", "errors", 0, "message")),
    /^v1\.1\.0-alpha\.1 is not pushed, and main no longer contains its commit$/,
  );
});

Deno.test({
  name: "a release that a train could not push goes with its tag, and by no push without it",
  ignore: Deno.build.os === "windows", // a hook
  async fn() {
    await using world = await trainWorld(["api", "web"]);
    const remote = join(world.remotes, "web.git");
    const hook = join(remote, "hooks", "pre-receive");
    await writeProgram(hook, "#!/bin/sh\nexit 1\n");
    const train = ["release", "train", "bump", "minor", "--alpha", "--yes", "--json"];
    assertEquals((await world.amof(train)).json()["error"], "partial_failure");
    await Deno.remove(hook);
    const command = "amof release train promote --repo web";
    const problem = "the release v1.1.0-alpha.1 is only here, with its tag";
    const status = await world.amof(["status"]);
    assertStringIncludes(status.stdout, problem);
    assertStringIncludes(status.stdout, `fix: ${command}`);
    assert(!/ticket start|allow-base/.test(status.stdout + status.stderr), status.stdout);
    const pushed = await world.amof(["push", "--allow-base", "--repo", "web", "--yes", "--json"]);
    assertEquals([pushed.code, pushed.json()["error"]], [1, "push_refused"], pushed.stdout);
    assertStringIncludes(pushed.stdout, problem);
    assertStringIncludes(pushed.stdout, command);
    const sent = await world.amof([...command.split(" ").slice(1), "--yes", "--json"]);
    assertEquals(sent.code, 0, sent.stdout);
    assertStringIncludes(await world.git(remote, "tag"), "v1.1.0-alpha.1");
    assert(!(await world.amof(["status"])).stdout.includes(problem));
  },
});

Deno.test("a release of the control repository that is only here is sent with its tag, as status says", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const { control } = world;
  await world.write("control/CHANGELOG.md", CHANGELOG);
  await world.git(control, "add", ".");
  await world.git(control, "commit", "--quiet", "-m", "Add a changelog");
  await giveRemote(world, control, "control");
  assertEquals((await world.amof(["release", "init", "0.1.0", "--yes"])).code, 0);
  const send = "send the release with its tag: amof release push";
  assert(!(await world.amof(["status"])).stdout.includes("amof release push"));
  const made = await world.amof(["release", "minor", "--alpha", "--no-push", "--yes"]);
  assertEquals(made.code, 0, made.stdout);
  assertStringIncludes((await world.amof(["status"])).stdout, send);
  assertEquals((await world.amof(["release", "push", "--yes"])).code, 0);
  assertStringIncludes(await refs(world), "refs/tags/v0.2.0-alpha.1");
  assert(!(await world.amof(["status"])).stdout.includes("control repository has"));
});

Deno.test("a release of the control repository without a commit of its own is told by its record", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const { control } = world;
  await giveRemote(world, control, "control");
  assertEquals((await world.amof(["release", "init", "0.1.0", "--yes"])).code, 0);
  const made = await world.amof(["release", "minor", "--alpha", "--no-push", "--yes"]);
  assertEquals(made.code, 0, made.stdout);
  const status = async () => (await world.amof(["status"])).stdout;
  assertEquals(
    await world.git(control, "log", "--format=%s", "origin/main.."),
    "chore(release): record v0.2.0-alpha.1",
  );
  const send = "send the release with its tag: amof release push";
  assertStringIncludes(await status(), send);
  // With something else that push would take along what nobody was asked about.
  await world.git(control, "commit", "--quiet", "--allow-empty", "-m", "Something else");
  assertStringIncludes(await status(), "push --follow-tags origin main");
  await world.git(control, "reset", "--quiet", "--hard", "HEAD~1");
  assertEquals((await world.amof(["release", "push", "--yes"])).code, 0);
  assertStringIncludes(await refs(world), "refs/tags/v0.2.0-alpha.1");
  assert(!(await status()).includes("control repository has"));
});
