/**
 * Refs: resolving, listing, and changing them only from where they were expected.
 *
 * @module
 */

import { sha } from "../../../../src/base/ids.ts";
import { assertEquals } from "@std/assert";
import { World } from "../../../support/world.ts";
import { clone, commit, gitIn, repository } from "../_support.ts";

Deno.test("Git.refs.resolve() answers the commit, also behind an annotated tag", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const head = await world.git(path, "rev-parse", "HEAD");
  await world.git(path, "tag", "-a", "v1", "-m", "One");
  const git = gitIn(world);
  assertEquals(await git.at(path).refs.resolve("refs/heads/main"), head);
  assertEquals(await git.at(path).refs.resolve("refs/tags/v1"), head);
});

Deno.test("Git.refs.resolve() is null for what does not exist or looks like an option", async () => {
  await using world = await World.make();
  const path = await repository(world);
  assertEquals(await gitIn(world).at(path).refs.resolve("refs/heads/nope"), null);
  assertEquals(await gitIn(world).at(path).refs.resolve("--all"), null);
});

Deno.test("Git.refs.list() answers the refs that exist, by full name", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const head = await world.git(path, "rev-parse", "HEAD");
  assertEquals(
    [
      ...await gitIn(world).at(path, "api").refs.list([
        "refs/heads/main",
        "refs/heads/nope",
        "refs/remotes/origin/main",
      ]),
    ],
    [["refs/heads/main", head], ["refs/remotes/origin/main", head]],
  );
});

Deno.test("Git.refs.peek() and peekBranches() say what git says, of refs in files of their own, packed ones, and names for others", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const { refs } = gitIn(world).at(path, "api");
  const names = ["refs/heads/main", "refs/heads/nope", "refs/heads/a/b", "refs/heads/alias"];
  const steps: string[][] = [
    ["branch", "a/b"],
    ["pack-refs", "--all"],
    ["commit", "--quiet", "--allow-empty", "-m", "Later"],
    ["branch", "-D", "a/b"],
    ["symbolic-ref", "refs/heads/alias", "refs/heads/main"],
  ];
  for (const step of steps) {
    await world.git(path, ...step);
    const all = await refs.list(["refs/heads"]);
    const asked = new Map([...all].filter(([name]) => names.includes(name)));
    assertEquals(new Map([...await refs.peek(names)].sort()), asked, step.join(" "));
    if (step[0] === "symbolic-ref") continue;
    const heads = new Map([...all].map(([name, at]) => [name.slice("refs/heads/".length), at]));
    assertEquals(new Map([...(await refs.peekBranches([])).heads].sort()), heads, step.join(" "));
  }
});

Deno.test("Git.refs.base() and peekBranches() take a base branch from the remote that it follows, once that was fetched", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const { refs } = gitIn(world).at(path, "api");
  const origin = { ref: "refs/remotes/origin/main", name: "origin/main" };
  const upstream = { ref: "refs/remotes/upstream/main", name: "upstream/main" };
  const both = async () => {
    const { base } = await refs.peekBranches(["main"]);
    return [await refs.base("main"), base("main")];
  };
  const there = await refs.resolve(origin.ref) ?? undefined;
  assertEquals(await both(), [origin, { ...origin, commit: there }]);
  await world.git(path, "remote", "add", "upstream", world.url("api"));
  await world.git(path, "config", "branch.main.remote", "upstream");
  assertEquals(await both(), [origin, { ...origin, commit: there }]);
  const later = sha(await commit(world, path));
  await world.git(path, "update-ref", upstream.ref, later);
  for (const how of ["in files of their own", "packed"]) {
    if (how === "packed") await world.git(path, "pack-refs", "--all");
    const found = await both();
    assertEquals(found.map((one) => ({ ...one, commit: later })), [
      { ...upstream, commit: later },
      { ...upstream, commit: later },
    ], how);
    assertEquals((await refs.peekBranches(["main"])).remotes.get("main"), there, how);
  }
  assertEquals(await refs.base("other"), {
    ref: "refs/remotes/origin/other",
    name: "origin/other",
  });
});

Deno.test("Git.refs.rewrittenFrom() tells what was amended or rebased from what was reset away", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const first = sha(await world.git(path, "rev-parse", "HEAD"));
  await world.git(path, "worktree", "add", "--quiet", "-b", "feature/x", "../linked");
  const linked = `${path}/../linked`;
  await world.git(linked, "commit", "--quiet", "--allow-empty", "-m", "One");
  const before = sha(await world.git(linked, "rev-parse", "HEAD"));
  await world.git(linked, "commit", "--quiet", "--allow-empty", "--amend", "-m", "Other");
  const stood = (at: string, branch: string, commit: typeof first) =>
    gitIn(world).at(at).refs.rewrittenFrom(branch, commit);
  assertEquals(await stood(linked, "feature/x", before), true);
  // Also where something came on top before that.
  assertEquals(await stood(path, "feature/x", first), true);
  const amended = sha(await world.git(linked, "rev-parse", "HEAD"));
  await world.git(linked, "reset", "--quiet", "--hard", "HEAD~1");
  await world.git(linked, "commit", "--quiet", "--allow-empty", "-m", "Another");
  assertEquals(await stood(linked, "feature/x", amended), false);
  const another = sha(await world.git(linked, "rev-parse", "HEAD"));
  await world.git(path, "commit", "--quiet", "--allow-empty", "-m", "News");
  await world.git(linked, "rebase", "--quiet", "main");
  assertEquals(await stood(linked, "feature/x", another), true);
  assertEquals(await stood(path, "main", before), false);
  assertEquals(await stood(path, "nope", first), false);
  await Deno.remove(`${path}/.git/logs`, { recursive: true });
  assertEquals(await stood(path, "feature/x", before), false);
});

Deno.test("Git.refs.since() tells whether a branch of origin has gone forwards or was rewritten since it was at a commit", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const clone = `${path}/../clone`;
  await world.git(world.directory, "clone", "--quiet", path, clone);
  const since = (commit: string, branch = "main") =>
    gitIn(world).at(clone).refs.since(branch, sha(commit));
  const first = await world.git(path, "rev-parse", "HEAD");
  assertEquals(await since(first), null);
  const second = await commit(world, path, "b.txt");
  await world.git(clone, "fetch", "--quiet");
  const third = await commit(world, path, "c.txt");
  await world.git(clone, "fetch", "--quiet");
  assertEquals(
    [await since(first), await since(second), await since(third), await since(first, "x")],
    ["forwards", "forwards", null, null],
  );
  // What was sent may have been sent by force.
  await world.git(path, "config", "receive.denyCurrentBranch", "ignore");
  await world.git(clone, "reset", "--quiet", "--hard", second);
  await world.git(clone, "push", "--quiet", "--force", "origin", "main");
  assertEquals(await since(first), null);
  await world.git(path, "commit", "--quiet", "--amend", "--allow-empty", "-m", "Other");
  await world.git(clone, "fetch", "--quiet");
  assertEquals([await since(first), await since(second)], [null, "rewritten"]);
});

Deno.test("Git.refs.move() moves a ref only from where it was expected", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const before = await world.git(path, "rev-parse", "HEAD");
  await world.git(path, "branch", "topic");
  const after = await commit(world, path, "b.txt");
  const git = gitIn(world);
  assertEquals(
    await git.at(path).refs.move("refs/heads/topic", { to: sha(after), expected: sha(after) }),
    false,
  );
  assertEquals(await git.at(path).refs.resolve("refs/heads/topic"), before);
  assertEquals(
    await git.at(path).refs.move("refs/heads/topic", { to: sha(after), expected: sha(before) }),
    true,
  );
  assertEquals(await git.at(path).refs.resolve("refs/heads/topic"), after);
});

Deno.test("Git.refs.create() makes a ref and never moves one", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const before = await world.git(path, "rev-parse", "HEAD");
  const after = await commit(world, path, "b.txt");
  const git = gitIn(world);
  assertEquals(await git.at(path).refs.create("refs/heads/topic", before), true);
  assertEquals(await git.at(path).refs.create("refs/heads/topic", after), false);
  assertEquals(await git.at(path).refs.resolve("refs/heads/topic"), before);
});

Deno.test("Git.refs.delete() deletes a ref that is where it was expected", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const head = await world.git(path, "rev-parse", "HEAD");
  await world.git(path, "branch", "topic");
  assertEquals(await gitIn(world).at(path).refs.delete("refs/heads/topic", head), true);
  assertEquals(await gitIn(world).at(path).refs.resolve("refs/heads/topic"), null);
});

Deno.test("Git.refs.delete() leaves a ref alone that has moved", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const before = await world.git(path, "rev-parse", "HEAD");
  const after = await commit(world, path, "b.txt");
  await world.git(path, "branch", "topic");
  assertEquals(await gitIn(world).at(path).refs.delete("refs/heads/topic", before), false);
  assertEquals(await gitIn(world).at(path).refs.resolve("refs/heads/topic"), after);
});

Deno.test("Git.refs.deleteUnused() leaves a branch that a working copy stands on", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const head = await world.git(path, "rev-parse", "HEAD");
  await world.git(path, "branch", "free");
  await world.git(path, "switch", "-q", "-c", "here");
  const { refs } = gitIn(world).at(path);
  assertEquals(await refs.deleteUnused("refs/heads/here", head), false);
  assertEquals(await refs.resolve("refs/heads/here"), head);
  assertEquals(await refs.deleteUnused("refs/heads/free", head), true);
  assertEquals(await refs.resolve("refs/heads/free"), null);
});
