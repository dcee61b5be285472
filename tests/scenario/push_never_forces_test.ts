/**
 * `amof push` never forces: what a remote has stays there.
 *
 * @module
 */

import { assertEquals, assertNotMatch } from "@std/assert";
import { join } from "@std/path";
import { World } from "../support/world.ts";
import { commit, outcome, POSIX, push, refs, remote, results } from "./_push.ts";

/** Moves a branch of a remote on, as a colleague would; answers the new commit. */
async function colleague(world: World, repo: string, branch: string): Promise<string> {
  const seed = join(world.directory, "seed", repo);
  const bare = join(world.remotes, `${repo}.git`);
  await world.git(seed, "fetch", "--quiet", bare, `refs/heads/${branch}`);
  await world.git(seed, "switch", "--quiet", "--detach", "FETCH_HEAD");
  const made = await commit(world, seed, "colleague.txt");
  await world.git(seed, "push", "--quiet", bare, `HEAD:refs/heads/${branch}`);
  return made;
}

Deno.test("amof push never forces: a diverged branch is held back", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  await push(world);
  const theirs = await colleague(world, "api", "feature/T-1");
  const mine = await commit(world, world.clone("api"), "mine.txt");
  await world.git(world.clone("api"), "fetch", "--quiet");
  const ran = await push(world);
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "skipped", "repo_diverged"]]);
  assertEquals(await remote(world, "api", "feature/T-1"), theirs);
  assertEquals(await world.git(world.clone("api"), "rev-parse", "HEAD"), mine);
});

Deno.test("a new branch goes out however far the base branch that it was made of has moved on", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "--create", "feature/T-1", "origin/main");
  await colleague(world, "api", "main");
  await world.git(clone, "fetch", "--quiet");
  await Deno.writeTextFile(join(clone, "new.txt"), "mine\n");
  const ran = await push(world, "--commit");
  assertEquals(outcome(ran), [["api", "pushed", null]]);
  assertEquals(results(ran)[0]?.["detail"], "origin/feature/T-1 (new branch)");
});

Deno.test("amof push never forces: a remote that moved on unseen keeps its commits", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  await push(world);
  const theirs = await colleague(world, "api", "feature/T-1");
  await commit(world, world.clone("api"), "mine.txt");
  const ran = await push(world);
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "failed", "git_failed"]]);
  assertEquals(await remote(world, "api", "feature/T-1"), theirs);
  // The next look knows of them, and leads to them instead of to another push.
  assertEquals(outcome(await push(world)), [["api", "skipped", "repo_diverged"]]);
});

Deno.test("amof push never forces: a rewritten branch is not sent over the old one", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const first = await world.commitOnFeature("api");
  await push(world);
  await world.git(world.clone("api"), "commit", "--quiet", "--amend", "-m", "Other words");
  const ran = await push(world);
  assertEquals(ran.code, 1);
  assertEquals(outcome(ran), [["api", "skipped", "repo_diverged"]]);
  assertEquals(await remote(world, "api", "feature/T-1"), first);
});

Deno.test({
  name: "amof push sends one branch only, whatever git is configured to push",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const clone = world.clone("api");
    await world.git(clone, "branch", "secret-plan");
    await commit(world, clone, "unpushed-on-main.txt");
    await world.git(clone, "branch", "--quiet", "private", "HEAD");
    await world.git(clone, "switch", "--quiet", "-c", "feature/T-1", "origin/main");
    const head = await commit(world, clone, "work.txt");
    await world.git(clone, "tag", "-a", "-m", "Mine", "v9");
    await world.git(clone, "config", "remote.origin.push", "+refs/heads/*:refs/heads/*");
    await world.git(clone, "config", "push.default", "matching");
    await world.git(clone, "config", "push.followTags", "true");
    const before = await refs(world, "api");
    const calls = join(world.directory, "calls.txt");
    const env = await world.wrapGit(`echo "$*" >> '${calls}'`);
    const ran = await world.amof(["push", "--yes"], { env });
    assertEquals(ran.code, 0);
    const added = (await refs(world, "api")).split("\n").filter((line) => !before.includes(line));
    assertEquals(added, [`refs/heads/feature/T-1 ${head}`]);
    const pushes = (await Deno.readTextFile(calls)).split("\n").filter((line) =>
      / push /.test(line)
    );
    assertEquals(pushes.length, 1);
    assertNotMatch(pushes[0] ?? "", / (?:--force\S*|-f|--mirror|--all|--tags) | \+/);
  },
});

Deno.test("amof push goes to the branch of the same name although the upstream is the base branch", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const base = await remote(world, "api", "main");
  await world.git(clone, "switch", "--quiet", "-c", "feature/T-1", "--track", "origin/main");
  const head = await commit(world, clone, "work.txt");
  const ran = await push(world);
  assertEquals(ran.code, 0);
  assertEquals(await remote(world, "api", "main"), base);
  assertEquals(await remote(world, "api", "feature/T-1"), head);
  assertEquals(
    await world.git(clone, "rev-parse", "--abbrev-ref", "@{upstream}"),
    "origin/feature/T-1",
  );
});

Deno.test("amof push takes a branch named like an option for what it is", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  const base = await remote(world, "api", "main");
  // Git's own commands refuse to make such a branch; a ref can be written all the same.
  for (const branch of ["--delete", "--force", "-d"]) {
    const head = await world.git(clone, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", branch);
    await world.git(clone, "update-ref", `refs/heads/${branch}`, head);
    await world.git(clone, "symbolic-ref", "HEAD", `refs/heads/${branch}`);
    const ran = await push(world);
    assertEquals(ran.code, 0, branch);
    assertEquals(await remote(world, "api", branch), head);
    assertEquals(await remote(world, "api", "main"), base);
  }
});
