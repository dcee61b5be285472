/**
 * Releases whose push came too late: the remote's branch has moved on meanwhile. They are merged and pushed, never
 * forced, and never without what was merged.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { releaseWorld, trainWorld } from "../support/release_world.ts";
import { type World } from "../support/world.ts";
import { writeProgram } from "../support/program.ts";

/** Hooks and pasted commands need a shell. */
const POSIX = Deno.build.os !== "windows";

const BUMP = ["release", "patch", "--alpha", "--yes", "--json"];
const TAG = "v0.1.1-alpha.1";
const TRAIN = ["release", "train", "bump", "minor", "--alpha", "--yes", "--json"];

function bare(world: World, repo: string): string {
  return join(world.remotes, `${repo}.git`);
}

/** Another clone pushes a commit to `main` as soon as `hook` of a repository runs, once. */
async function overtake(world: World, repo: string, directory: string, hook: string) {
  const other = join(world.directory, `other-${repo}`);
  await world.git(world.directory, "clone", "--quiet", bare(world, repo), other);
  await Deno.writeTextFile(join(other, "theirs.txt"), "theirs\n");
  await world.git(other, "add", ".");
  await world.git(other, "commit", "--quiet", "-m", "Theirs, meanwhile");
  await world.hook(
    join(directory, ".git"),
    hook,
    `unset $(git rev-parse --local-env-vars)
if git -C '${other}' push --quiet origin HEAD:main; then rm -f '${
      join(directory, ".git", "hooks", hook)
    }'; fi`,
  );
}

/** Runs the git commands of a hint as a person pastes them. */
async function paste(world: World, hint: string): Promise<void> {
  const command = /: (git .*)$/m.exec(hint)?.[1];
  assert(command !== undefined, hint);
  const shell = await new Deno.Command("sh", {
    args: ["-ec", command],
    cwd: world.directory,
    env: world.env,
    clearEnv: true,
    stdin: "null",
  }).output();
  assert(shell.success, new TextDecoder().decode(shell.stderr));
}

/** What may stand in the way of a plain `git pull`. */
async function oddPulls(world: World, directory: string): Promise<void> {
  await world.git(directory, "config", "pull.rebase", "true");
  await world.git(directory, "config", "pull.ff", "only");
  await world.git(directory, "config", "merge.ff", "only");
}

Deno.test({
  name:
    "a control repository whose branch follows nothing is led to its remote, and follows it then",
  ignore: !POSIX,
  async fn() {
    await using world = await releaseWorld();
    const { control } = world;
    const upstream = () => world.git(control, "for-each-ref", "--format=%(upstream)", "refs/heads");
    await world.git(control, "branch", "--unset-upstream", "main");
    const other = join(world.directory, "other");
    await world.git(world.directory, "clone", "--quiet", bare(world, "control"), other);
    await world.git(other, "commit", "--quiet", "--allow-empty", "-m", "Theirs");
    await world.git(other, "push", "--quiet", "origin", "main");
    await world.git(control, "commit", "--quiet", "--allow-empty", "-m", "Mine");
    await world.git(control, "fetch", "--quiet");
    const told = (await world.amof(["release", "status"])).stdout;
    assertMatch(told, /^Ready: +no, 1 problem/m);
    const refused = await world.amof(BUMP);
    assertEquals(refused.code, 1, refused.stdout);
    await paste(world, refused.stdout.match(/: git -C \S+ pull [^"\\]+/)?.[0] ?? refused.stdout);
    assertEquals(await upstream(), "");
    const ran = await world.amof(BUMP);
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals(await upstream(), "refs/remotes/origin/main");
  },
});

Deno.test({
  name: "amof release push sends the merged branch with the tag of a release that was overtaken",
  ignore: !POSIX,
  async fn() {
    await using world = await releaseWorld();
    const { control } = world;
    const remote = bare(world, "control");
    await oddPulls(world, control);
    await overtake(world, "control", control, "pre-commit");
    const ran = await world.amof(BUMP);
    assertEquals([ran.code, ran.json()["error"]], [5, "partial_failure"], ran.stdout);
    const theirs = await world.git(remote, "rev-parse", "main");

    // Nothing is forced, and what stands in the way is told before anything is tried.
    const early = await world.amof(["release", "push", "--yes", "--json"]);
    assertEquals([early.code, early.json()["error"]], [1, "push_refused"], early.stdout);
    assertEquals(
      early.json()["message"],
      `Cannot push ${TAG}: origin/main has commits that are not here`,
    );
    assertEquals(await world.git(remote, "rev-parse", "main"), theirs);
    assertStringIncludes(String(early.json()["hint"]), `\nThen: amof release push ${TAG}`);
    const again = await world.amof(["release", "patch", "--alpha", "--json"]);
    assertStringIncludes(again.stdout, "pull --no-rebase");

    await paste(world, String(ran.json()["hint"]));
    await world.git(control, "commit", "--quiet", "--allow-empty", "-m", "Mine, since");
    const before = await world.fingerprint();
    const dry = await world.amof(["release", "push", "--dry-run", "--json"]);
    assertEquals(dry.code, 0, dry.stdout);
    const tip = await world.git(control, "rev-parse", "main");
    assertEquals(pick(dry.json(), "preview", "tip"), tip);
    assertEquals(pick(dry.json(), "preview", "commits"), 4);
    assertEquals(pick(dry.json(), "preview", "commit_subjects", 0), "Mine, since");
    assertStringIncludes(dry.stdout, `Push main at ${tip.slice(0, 12)} (4 commits) and ${TAG}`);
    assertEquals(await world.changesSince(before), []);

    const pushed = await world.amof(["release", "push", "--yes", "--json"]);
    assertEquals(pushed.code, 0, pushed.stdout);
    assertEquals(
      await world.git(remote, "rev-parse", `refs/tags/${TAG}`),
      await world.git(control, "rev-parse", `refs/tags/${TAG}`),
    );
    const there = await world.git(remote, "rev-parse", "main");
    assertEquals(there, await world.git(control, "rev-parse", "main"));
    for (const commit of [theirs, `${TAG}^{commit}`, tip]) {
      await world.git(remote, "merge-base", "--is-ancestor", commit, "main");
    }
    assertEquals(await world.git(control, "status", "--porcelain"), "");
  },
});

Deno.test({
  name: "amof release push tells what to do about a push that is overtaken while it runs",
  ignore: !POSIX,
  async fn() {
    await using world = await releaseWorld();
    const released = await world.amof([...BUMP, "--no-push"]);
    assertEquals(released.code, 0, released.stdout);
    await overtake(world, "control", world.control, "pre-push");
    const ran = await world.amof(["release", "push", "--yes", "--json"]);
    assertEquals([ran.code, ran.json()["error"]], [1, "push_refused"], ran.stdout);
    await paste(world, String(ran.json()["hint"]));
    const pushed = await world.amof(["release", "push", "--yes", "--json"]);
    assertEquals(pushed.code, 0, pushed.stdout);
  },
});

Deno.test({
  name: "amof release push refuses a branch that lost the release",
  ignore: !POSIX,
  async fn() {
    await using world = await releaseWorld();
    const { control } = world;
    const released = await world.amof([...BUMP, "--no-push"]);
    assertEquals(released.code, 0, released.stdout);
    await world.git(control, "reset", "--quiet", "--hard", "origin/main");
    await world.git(control, "commit", "--quiet", "--allow-empty", "-m", "Instead");
    await world.git(control, "switch", "--quiet", "-c", "aside");
    await world.write(
      `control/releases/${TAG}.json`,
      JSON.stringify({ tag: TAG, version: "0.1.1-alpha.1", branch: "main", pushed: false }),
    );
    const ran = await world.amof(["release", "push", "--yes", "--json"]);
    assertEquals([ran.code, ran.json()["error"]], [1, "push_refused"], ran.stdout);
    assertMatch(String(ran.json()["message"]), /main no longer contains its commit$/);
    assertMatch(String(ran.json()["hint"]), /switch main\nMerge it: git -C \S+ merge --no-edit v0/);
  },
});

Deno.test("amof release push sends only the tag when its branch has arrived already", async () => {
  await using world = await releaseWorld();
  const { control } = world;
  const released = await world.amof([...BUMP, "--no-push"]);
  assertEquals(released.code, 0, released.stdout);
  await world.git(control, "push", "--quiet", "origin", "main");
  await world.git(control, "commit", "--quiet", "--allow-empty", "-m", "Not yet");
  const there = await world.git(bare(world, "control"), "rev-parse", "main");
  const ran = await world.amof(["release", "push", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  const remote = bare(world, "control");
  assertStringIncludes(await world.git(remote, "tag"), TAG);
  // The record follows a commit that was not in the preview.
  assertEquals(await world.git(remote, "rev-parse", "main"), there);
});

Deno.test({
  name:
    "amof release push sends records that a remote has refused, and says so where it does again",
  ignore: !POSIX,
  async fn() {
    await using world = await releaseWorld();
    const remote = bare(world, "control");
    const hook = join(remote, "hooks", "pre-receive");
    const refuses =
      'while read -r o n r; do git log -1 --format=%s "$n" | grep -q record && exit 1; done; exit 0';
    await writeProgram(hook, `#!/bin/sh\n${refuses}\n`);
    const ran = await world.amof(BUMP);
    assertEquals(ran.code, 0, ran.stdout);
    const head = await world.git(world.control, "rev-parse", "main");
    const push = ["release", "push", "--yes", "--json"];
    const refused = await world.amof(push);
    assertEquals([refused.code, refused.json()["error"]], [1, "push_refused"], refused.stdout);
    assertMatch(String(refused.json()["message"]), /^Cannot push the records: /);
    assertMatch(String(refused.json()["hint"]), /: amof release push$/);
    await Deno.remove(hook);
    const sent = await world.amof(push);
    assertEquals([
      sent.code,
      pick(sent.json(), "records") ?? pick(sent.json(), "result", "records"),
    ], [0, 1]);
    assertEquals(await world.git(remote, "rev-parse", "main"), head);
    assertEquals(pick((await world.amof(push)).json(), "unchanged"), true);
    // With anything else on top nobody has agreed to the rest.
    await world.git(world.control, "commit", "--quiet", "--allow-empty", "-m", "chore: mine");
    assertEquals(pick((await world.amof(push)).json(), "unchanged"), true);
  },
});

Deno.test({
  name: "amof release train pushes the merged branch of a repository that was overtaken",
  ignore: !POSIX,
  async fn() {
    await using world = await trainWorld(["api", "web"]);
    const clone = world.clone("web");
    await oddPulls(world, clone);
    await overtake(world, "web", clone, "pre-commit");
    const ran = await world.amof(TRAIN);
    assertEquals([ran.code, ran.json()["error"]], [5, "partial_failure"], ran.stdout);
    const early = await world.amof(TRAIN);
    assertEquals([early.code, early.json()["error"]], [1, "release_blocked"], early.stdout);
    assertMatch(
      String(pick(early.json(), "details", "errors", 0, "message")),
      /^v1\.1\.0-alpha\.1 is not pushed, and origin\/main has commits that are not here$/,
    );
    await paste(world, String(ran.json()["hint"]));
    // Whatever is checked out, it is the branch of the release that goes.
    await world.git(clone, "switch", "--quiet", "-c", "feature/x");
    const dry = await world.amof([...TRAIN, "--dry-run"]);
    assertEquals(pick(dry.json(), "preview", "repos", 0, "commits"), 2, dry.stdout);
    const again = await world.amof(TRAIN);
    assertEquals(again.code, 0, again.stdout);
    const result = again.json()["result"] ?? again.json();
    assertEquals(rows(result, "repos").map((row) => [row["name"], row["action"]]), [
      ["web", "push"],
    ]);
    const remote = bare(world, "web");
    assertEquals(await world.git(remote, "branch", "--format=%(refname)"), "refs/heads/main");
    assertEquals(
      await world.git(remote, "rev-parse", "main"),
      await world.git(clone, "rev-parse", "main"),
    );
    assertStringIncludes(await world.git(remote, "tag"), "v1.1.0-alpha.1");
  },
});

Deno.test("amof release train pushes no branch that changes no-touch paths, whatever is checked out", async () => {
  await using world = await trainWorld(["web"]);
  const clone = world.clone("web");
  await Deno.mkdir(join(clone, "secret"));
  await Deno.writeTextFile(join(clone, "secret", "file"), "mine\n");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "Touch it");
  const made = await world.amof([...TRAIN, "--no-push"]);
  assertEquals(made.code, 0, made.stdout);
  const manifest = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  await Deno.writeTextFile(
    manifest,
    `${await Deno.readTextFile(manifest)}guardrails:\n  no_touch_paths: ["secret/**"]\n`,
  );
  await world.git(clone, "switch", "--quiet", "-c", "aside", "origin/main");
  const before = await world.git(bare(world, "web"), "for-each-ref");
  const ran = await world.amof(TRAIN);
  assertEquals([ran.code, ran.json()["error"]], [1, "release_blocked"], ran.stdout);
  assertEquals(pick(ran.json(), "details", "errors", 0, "gate"), "no_touch");
  assertEquals(await world.git(bare(world, "web"), "for-each-ref"), before);
});
