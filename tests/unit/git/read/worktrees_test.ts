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
import { bare, gitIn, repository } from "../_support.ts";

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

Deno.test("Git.worktrees.list() lists the main one first, with branches and heads", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const head = await world.git(path, "rev-parse", "HEAD");
  const linked = join(world.directory, "with blank");
  await world.git(path, "worktree", "add", "--quiet", "-b", "workspace/demo", linked);
  assertEquals(await gitIn(world).at(linked).worktrees.list(), [
    { path, branch: "main", head, bare: false, prunable: false, locked: false },
    { path: linked, branch: "workspace/demo", head, bare: false, prunable: false, locked: false },
  ]);
});

Deno.test("Git.worktrees.list() marks one whose directory is gone, until it is forgotten", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const linked = join(world.directory, "linked");
  await world.git(path, "worktree", "add", "--quiet", "--detach", linked);
  await Deno.remove(linked, { recursive: true });
  const git = gitIn(world);
  assertEquals(
    (await git.at(path).worktrees.list()).map(({ branch, prunable }) => [branch, prunable]),
    [
      ["main", false],
      [null, true],
    ],
  );
  await git.at(path).worktrees.forget(linked);
  assertEquals((await git.at(path).worktrees.list()).length, 1);
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
  assertEquals((await git.at(path).worktrees.list()).slice(1).map((entry) => entry.path), [
    away,
    locked,
    there,
  ]);
});

Deno.test("Git.worktrees.list() marks a bare repository", async () => {
  await using world = await World.make();
  await world.addRemote("api");
  const [only] = await gitIn(world).at(bare(world)).worktrees.list();
  assertEquals([only?.path, only?.bare, only?.branch], [bare(world), true, null]);
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
