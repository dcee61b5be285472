/**
 * Branches: made, switched, moved forward, and never over work.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import { sha } from "../../../../src/base/ids.ts";
import { exists } from "../../../support/answers.ts";
import { World } from "../../../support/world.ts";
import { bare, clone, commit, gitIn, repository } from "../_support.ts";

Deno.test("Git.branches.current() is the branch, null when detached, in linked worktrees too", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const linked = join(world.directory, "linked");
  await world.git(path, "worktree", "add", "--quiet", "-b", "feature/x", linked);
  const git = gitIn(world);
  assertEquals([await git.at(path).branches.current(), await git.at(linked).branches.current()], [
    "main",
    "feature/x",
  ]);
  await world.git(linked, "switch", "--quiet", "--detach");
  assertEquals(await git.at(linked).branches.current(), null);
});

/** What may happen to a branch last, and whether work became a commit of it then. */
const DEEDS: readonly (readonly [deed: string, args: readonly string[], isWork: boolean])[] = [
  ["a commit", ["commit", "--allow-empty", "-qm", "x"], true],
  ["an amended commit", ["commit", "--amend", "--allow-empty", "-qm", "x"], true],
  ["a pick", ["cherry-pick", "--allow-empty", "side"], true],
  ["a rebase", ["rebase", "-q", "--no-ff", "--root"], true],
  ["a merge", ["merge", "-q", "--no-ff", "side"], true],
  ["moving forward", ["merge", "-q", "side"], false],
  ["going back", ["reset", "-q", "--hard", "HEAD~"], false],
  ["a move by amof", [], false],
];

for (const [deed, args, isWork] of DEEDS) {
  Deno.test(`Git.branches.endsInWork() says ${isWork ? "yes" : "no"} after ${deed}`, async () => {
    await using world = await World.make();
    const path = await repository(world);
    await commit(world, path, "two.txt");
    await world.git(path, "switch", "--quiet", "-c", "side");
    const side = await commit(world, path, "side.txt");
    await world.git(path, "switch", "--quiet", args.length > 0 ? "main" : "side");
    const git = gitIn(world).at(path, "api");
    if (args.length > 0) await world.git(path, ...args);
    else await git.refs.move("refs/heads/main", { to: sha(side), expected: sha(await at("main")) });
    assertEquals(await git.branches.endsInWork("main", await at("main")), isWork);

    function at(branch: string): Promise<string> {
      return world.git(path, "rev-parse", branch);
    }
  });
}

Deno.test("Git.branches.renamedFrom() finds the one branch that had a name before", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const { branches } = gitIn(world).at(path, "api");
  const found = () => branches.renamedFrom("old", ["main", "better", "best"]);
  await world.git(path, "branch", "old");
  await world.git(path, "branch", "other");
  assertEquals(await found(), null);
  await world.git(path, "branch", "-m", "old", "better");
  assertEquals(await found(), "better");
  await world.git(path, "branch", "-m", "better", "best");
  assertEquals(await found(), "best");
  // Of two nobody can tell.
  await world.git(path, "branch", "-c", "best", "better");
  assertEquals(await found(), null);
});

Deno.test("Git.branches.fastForward() moves the branch forward with its files", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "branch", "ahead");
  await world.git(path, "switch", "--quiet", "ahead");
  const head = await commit(world, path, "b.txt");
  await world.git(path, "switch", "--quiet", "main");
  await gitIn(world).at(path, "api").branches.fastForward(head);
  assertEquals(await world.git(path, "rev-parse", "main"), head);
  assert(await exists(join(path, "b.txt")));
});

Deno.test("Git.branches.fastForward() refuses what would need a merge and changes nothing", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "switch", "--quiet", "-c", "side");
  const side = await commit(world, path, "side.txt");
  await world.git(path, "switch", "--quiet", "main");
  const before = await commit(world, path, "main.txt");
  const error = await assertRejects(
    () => gitIn(world).at(path, "api").branches.fastForward(side),
    AmofError,
  );
  assertEquals(error.details["kind"], "non_fast_forward");
  assertEquals(await world.git(path, "rev-parse", "HEAD"), before);
  assertEquals(await gitIn(world).at(path).activity(), {
    inProgress: null,
    fetchedMs: null,
    fetchedNothing: false,
  });
});

Deno.test("Git.branches.create() begins where it is told and follows only when it is told", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await commit(world, path, "local.txt");
  const git = gitIn(world);
  await git.at(path, "api").branches.create("alone", { start: "origin/main" });
  assertEquals((await git.at(path, "api").status()).upstream, null);
  await git.at(path, "api").branches.create("following", { start: "origin/main", track: true });
  const found = await git.at(path, "api").status();
  assertEquals([found.upstream, found.ahead, found.behind], ["origin/main", 0, 0]);
});

Deno.test("Git.branches.create() takes over nothing from a deleted branch of that name", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const api = gitIn(world).at(path, "api");
  await world.git(path, "switch", "--quiet", "-c", "topic");
  await world.git(path, "push", "--quiet", "-u", "origin", "topic");
  await world.git(path, "switch", "--quiet", "main");
  await world.git(path, "update-ref", "-d", "refs/heads/topic");
  await world.git(path, "push", "--quiet", "origin", ":topic");
  assertEquals([...await api.branches.following()].includes("topic"), true);
  await api.branches.create("topic");
  const { branch, upstream } = await api.status();
  assertEquals([branch, upstream], ["topic", null]);
});

Deno.test("Git.branches.switchTo() switches to a local branch, and guesses none from a remote", async () => {
  await using world = await World.make();
  await world.addRemote("api");
  await world.git(bare(world), "branch", "remote-only", "main");
  const path = await clone(world);
  await world.git(path, "branch", "topic");
  const git = gitIn(world);
  await git.at(path, "api").branches.switchTo("topic");
  assertEquals(await git.at(path).branches.current(), "topic");
  await assertRejects(() => git.at(path, "api").branches.switchTo("remote-only"), AmofError);
  assertEquals(await git.at(path).branches.current(), "topic");
});

Deno.test("Git.branches.switchTo() refuses where changes would be lost", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "switch", "--quiet", "-c", "topic");
  await commit(world, path, "file.txt", "topic\n");
  await world.git(path, "switch", "--quiet", "main");
  await Deno.writeTextFile(join(path, "file.txt"), "precious\n");
  const error = await assertRejects(
    () => gitIn(world).at(path, "api").branches.switchTo("topic"),
    AmofError,
  );
  assertEquals(error.details["kind"], "in_the_way");
  assertEquals(await Deno.readTextFile(join(path, "file.txt")), "precious\n");
});

Deno.test("Git.branches.setUpstream() makes a branch follow another", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const git = gitIn(world);
  await git.at(path, "api").branches.create("topic");
  await git.at(path, "api").branches.setUpstream("topic", "origin/main");
  assertEquals((await git.at(path, "api").status()).upstream, "origin/main");
});
