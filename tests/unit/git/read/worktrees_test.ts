/**
 * Working copies of one repository: listed, made, removed and forgotten.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import { exists } from "../../../support/answers.ts";
import { World } from "../../../support/world.ts";
import { gitIn, repository } from "../_support.ts";

Deno.test("Git.commonDirectory() is the same for all worktrees of a repository", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const linked = join(world.directory, "linked");
  await world.git(path, "worktree", "add", "--quiet", "-b", "topic", linked);
  const git = gitIn(world);
  assertEquals(await git.at(path).commonDirectory(), join(path, ".git"));
  assertEquals(await git.at(linked).commonDirectory(), join(path, ".git"));
  assertEquals(await git.at(linked).gitDirectory(), join(path, ".git", "worktrees", "linked"));
});

/** What git itself says of the linked worktrees of a repository. */
async function listedByGit(world: World, path: string) {
  const text = await world.git(path, "worktree", "list", "--porcelain");
  return text.split("\n\n").slice(1).map((block) => {
    const lines = block.split("\n");
    return {
      path: lines[0]?.slice("worktree ".length) ?? "",
      branch: lines.find((line) => line.startsWith("branch "))
        ?.slice("branch refs/heads/".length) ?? null,
      prunable: lines.some((line) => line.startsWith("prunable")),
      locked: lines.some((line) => /^locked\b/.test(line)),
    };
  });
}

Deno.test("Git.worktrees.linked() says what git lists, seen from each of them", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const at = (name: string) => join(world.directory, name);
  const add = (...args: string[]) => world.git(path, "worktree", "add", "--quiet", ...args);
  await add("-b", "workspace/demo", at("with blank"));
  await add("--detach", at("detached"));
  for (const name of ["gone", "gone-locked", "locked", "moved"]) {
    await add("-b", name, at(name));
  }
  await add("-b", "unborn", at("unborn"));
  await world.git(at("unborn"), "checkout", "--quiet", "--orphan", "born/later");
  for (const name of ["gone-locked", "locked"]) {
    await world.git(path, "worktree", "lock", at(name));
  }
  for (const name of ["gone", "gone-locked"]) await Deno.remove(at(name), { recursive: true });
  await world.git(path, "worktree", "move", at("moved"), at("moved-on"));
  // What git does not list either.
  await Deno.mkdir(join(path, ".git", "worktrees", "stray"));
  const listed = await listedByGit(world, path);
  assertEquals(listed.length, 7);
  const order = (a: { path: string }, b: { path: string }) => a.path < b.path ? -1 : 1;
  for (const from of [path, at("with blank")]) {
    const { worktrees } = gitIn(world).at(from);
    assertEquals((await worktrees.linked()).sort(order), listed.sort(order));
    const asked = [...listed.map((entry) => entry.path), path, at("moved"), at("no such")];
    assertEquals(
      await Promise.all(asked.map((one) => worktrees.has(one))),
      [...listed.map(() => true), false, false, false],
    );
  }
});

Deno.test("Git.worktrees.relink() mends the link of what was moved or copied, and no other", async () => {
  await using world = await World.make();
  const at = (...parts: string[]) => join(world.directory, ...parts);
  await repository(world, "old/repo");
  for (const name of ["a", "b"]) {
    await world.git(at("old/repo"), "worktree", "add", "--quiet", "--detach", at("old/repo", name));
  }
  const { worktrees } = gitIn(world).at(at("old/repo"));
  assertEquals(await worktrees.movedFrom(at("old/repo/a")), null);
  assertEquals(await worktrees.isForeign(at("old/repo/a")), false);
  // A copy of a working copy alone is not the one that git has on its list.
  await Deno.mkdir(at("old/repo/c"));
  await Deno.copyFile(at("old/repo/a/.git"), at("old/repo/c/.git"));
  assertEquals(await worktrees.movedFrom(at("old/repo/c")), null);
  await Deno.rename(at("old"), at("new"));
  const now = gitIn(world).at(at("new/repo")).worktrees;
  assertEquals(await now.movedFrom(at("new/repo/a")), at("old/repo/a"));
  assertEquals(await now.movedFrom(at("new/repo")), null);
  assertEquals(await now.movedFrom(at("new/repo/none")), null);
  await now.relink(at("new/repo/a"));
  assertEquals(await now.movedFrom(at("new/repo/a")), null);
  assertEquals(await world.git(at("new/repo/a"), "rev-parse", "--show-toplevel"), at("new/repo/a"));
  // Where the other repository is there, too, its working copy is not taken for one of this one.
  await world.git(world.directory, "-c", "alias.copy=!cp -R", "copy", "new", "old");
  const copy = gitIn(world).at(at("old/repo")).worktrees;
  assertEquals(await copy.isForeign(at("new/repo/a")), true);
  assertEquals(await copy.movedFrom(at("old/repo/a")), at("new/repo/a"));
  await copy.relink(at("old/repo/a"));
  for (const one of ["new", "old"]) {
    const place = at(one, "repo/a");
    assertEquals(await world.git(place, "rev-parse", "--show-toplevel"), place);
    assertEquals((await listedByGit(world, at(one, "repo"))).map(({ path }) => path)[0], place);
  }
});

Deno.test("Git.worktrees.linked() marks one whose directory is gone, until it is forgotten", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const linked = join(world.directory, "linked");
  await world.git(path, "worktree", "add", "--quiet", "--detach", linked);
  await Deno.remove(linked, { recursive: true });
  const git = gitIn(world);
  assertEquals(
    (await git.at(path).worktrees.linked()).map(({ branch, prunable }) => [branch, prunable]),
    [[null, true]],
  );
  await git.at(path).worktrees.forget(linked);
  assertEquals(await git.at(path).worktrees.linked(), []);
});

Deno.test("Git.worktrees.forget() forgets no other worktree, none that is there, and none that is locked", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const [gone, away, there, locked] = ["gone", "away", "there", "locked"].map((name) =>
    join(world.directory, name)
  ) as [string, string, string, string];
  for (const place of [gone, away, there, locked]) {
    await world.git(path, "worktree", "add", "--quiet", "--detach", place);
  }
  await world.git(path, "worktree", "lock", locked);
  for (const place of [gone, locked]) await Deno.remove(place, { recursive: true });
  await Deno.rename(away, `${away}-for-a-moment`);
  const git = gitIn(world);
  for (const place of [gone, there, locked]) await git.at(path).worktrees.forget(place);
  await Deno.rename(`${away}-for-a-moment`, away);
  assertEquals((await git.at(path).worktrees.linked()).map((entry) => entry.path).sort(), [
    away,
    locked,
    there,
  ]);
});

Deno.test("Git.worktrees.linked() is empty where there is no repository", async () => {
  await using world = await World.make();
  assertEquals(await gitIn(world).at(world.directory).worktrees.linked(), []);
});

Deno.test("Git.worktrees.remove() refuses one with untracked files", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const linked = join(world.directory, "linked");
  const git = gitIn(world);
  await git.at(path).worktrees.add({ path: linked, branch: "topic", from: "HEAD" });
  await Deno.writeTextFile(join(linked, "new.txt"), "x");
  await assertRejects(() => git.at(path).worktrees.remove(linked), AmofError);
  await Deno.remove(join(linked, "new.txt"));
  await git.at(path).worktrees.remove(linked);
  assertEquals(await exists(linked), false);
});

Deno.test("Git.worktrees.remove() removes an unfinished one although git keeps it locked", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const linked = join(world.directory, "linked");
  await world.git(
    path,
    "worktree",
    "add",
    "--quiet",
    "--no-checkout",
    "--lock",
    "-b",
    "topic",
    linked,
  );
  const git = gitIn(world);
  await assertRejects(() => git.at(path).worktrees.remove(linked), AmofError);
  await git.at(path).worktrees.remove(linked, true);
  assertEquals(await exists(linked), false);
});

Deno.test("Git.worktrees.add() puts an existing branch into a new worktree", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "branch", "topic");
  const linked = join(world.directory, "linked");
  await gitIn(world).at(path).worktrees.add({ path: linked, branch: "topic", from: null });
  assertEquals(await world.git(linked, "branch", "--show-current"), "topic");
});
