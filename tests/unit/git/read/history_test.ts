/**
 * Commits between branches, remotes and what exists only here.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { World } from "../../../support/world.ts";
import { clone, commit, gitIn, repository } from "../_support.ts";

// Reading.

Deno.test("Git.history.unpushedCount() counts commits of HEAD that no remote has", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const git = gitIn(world);
  assertEquals(await git.at(path, "api").history.unpushedCount(), 0);
  await commit(world, path, "a.txt");
  await commit(world, path, "b.txt");
  assertEquals(await git.at(path, "api").history.unpushedCount(), 2);
});

Deno.test("Git.history.unpushedCount() of a repository without commits is zero", async () => {
  await using world = await World.make();
  const path = join(world.directory, "empty");
  await Deno.mkdir(path);
  await world.git(path, "init", "--quiet");
  assertEquals(await gitIn(world).at(path, "api").history.unpushedCount(), 0);
});

Deno.test("Git.history.localOnlyCount() counts commits of every local branch that no remote has", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await world.git(path, "switch", "--quiet", "-c", "topic");
  await commit(world, path, "a.txt");
  await world.git(path, "switch", "--quiet", "main");
  const git = gitIn(world);
  assertEquals(await git.at(path, "api").history.localOnlyCount(), 1);
  assertEquals(await git.at(path, "api").history.unpushedCount(), 0);
});

Deno.test("Git.history.countBetween() counts one way, and is null for what does not exist", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "branch", "old");
  await commit(world, path, "b.txt");
  const git = gitIn(world);
  assertEquals(await git.at(path).history.countBetween("old", "main"), 1);
  assertEquals(await git.at(path).history.countBetween("main", "old"), 0);
  assertEquals(await git.at(path).history.countBetween("nope", "main"), null);
});

Deno.test("Git.history.countBeyond() counts what none of the others has", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "branch", "one");
  await commit(world, path, "a.txt");
  await world.git(path, "branch", "two");
  await commit(world, path, "b.txt");
  const git = gitIn(world);
  assertEquals(await git.at(path, "api").history.countBeyond("main", ["one"]), 2);
  assertEquals(await git.at(path, "api").history.countBeyond("main", ["one", "two"]), 1);
  assertEquals(await git.at(path, "api").history.countBeyond("one", ["main"]), 0);
});

Deno.test("Git.history.isAncestor() holds for a commit itself and those before it", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "branch", "old");
  await commit(world, path, "b.txt");
  const git = gitIn(world);
  assertEquals(
    [
      await git.at(path).history.isAncestor("old", "main"),
      await git.at(path).history.isAncestor("main", "main"),
      await git.at(path).history.isAncestor("main", "old"),
    ],
    [true, true, false],
  );
});
