/**
 * Remotes: asked, fetched from, pushed to, never with force.
 *
 * @module
 */

import { sha } from "../../../../src/base/ids.ts";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import { World } from "../../../support/world.ts";
import { bare, clone, commit, gitIn, nothing } from "../_support.ts";
import { Clones } from "../../../../src/git/write/mod.ts";

Deno.test("Git.remoteRefs.branches() asks the remote and not what was fetched", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const head = await world.git(path, "rev-parse", "HEAD");
  await world.git(bare(world), "branch", "topic/x", "main");
  assertEquals(
    [...await gitIn(world).at(path, "api").remoteRefs.branches("origin")].sort(),
    [["main", head], ["topic/x", head]],
  );
});

Deno.test("Git.remotes.pushUrl() answers where a push goes, or null", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const git = gitIn(world);
  assertEquals(await git.at(path).remotes.pushUrl("origin"), world.url("api"));
  await world.git(path, "config", "remote.origin.pushurl", "file:///elsewhere");
  assertEquals(await git.at(path).remotes.pushUrl("origin"), "file:///elsewhere");
  assertEquals(await git.at(path).remotes.pushUrl("nope"), null);
});

// Writing.

Deno.test("Git.remotes.fetch() brings new branches and removes vanished ones", async () => {
  await using world = await World.make();
  await world.addRemote("api");
  await world.git(bare(world), "branch", "gone", "main");
  const path = await clone(world);
  await world.git(bare(world), "branch", "-D", "gone");
  await world.git(bare(world), "branch", "new", "main");
  await gitIn(world).at(path, "api").remotes.fetch(null, nothing);
  const refs = await gitIn(world).at(path, "api").refs.list([
    "refs/remotes/origin/gone",
    "refs/remotes/origin/new",
  ]);
  assertEquals([...refs.keys()], ["refs/remotes/origin/new"]);
});

Deno.test("Git.remotes.fetch() brings the rest where the remote has a branch no more that is named alone", async () => {
  await using world = await World.make();
  await world.addRemote("api");
  for (const name of ["one", "two"]) await world.git(bare(world), "branch", name, "main");
  const path = await clone(world);
  await world.git(path, "remote", "set-branches", "origin", "one", "main", "two");
  for (const name of ["one", "two"]) await world.git(bare(world), "branch", "-D", name);
  const other = await commit(world, path, "more.txt");
  await world.git(path, "push", "--quiet", "origin", "main");
  await world.git(path, "update-ref", "refs/remotes/origin/main", "HEAD~1");
  const { remotes, refs } = gitIn(world).at(path, "api");
  await remotes.fetch("main", nothing);
  const known = (name: string) => refs.resolve(`refs/remotes/origin/${name}`);
  assertEquals(await Promise.all(["one", "main", "two"].map(known)), [null, sha(other), null]);
  await world.git(bare(world), "branch", "-m", "main", "trunk");
  await remotes.fetch("main", nothing);
  assertEquals(await known("main"), null);
});

Deno.test("Git.remotes.deleteBranch() deletes a branch of the remote only where it is expected", async () => {
  await using world = await World.make();
  await world.addRemote("api");
  await world.git(bare(world), "branch", "topic", "main");
  const path = await clone(world);
  const expected = await world.git(path, "rev-parse", "HEAD");
  const other = await commit(world, path, "more.txt");
  const git = gitIn(world);
  await assertRejects(
    () => git.at(path, "api").remotes.deleteBranch({ branch: "topic", commit: sha(other) }),
    AmofError,
  );
  assertEquals(await world.git(bare(world), "rev-parse", "refs/heads/topic"), expected);
  await git.at(path, "api").remotes.deleteBranch({ branch: "topic", commit: sha(expected) });
  assertEquals(
    await world.git(bare(world), "for-each-ref", "--format=%(refname)"),
    "refs/heads/main",
  );
});

Deno.test("Git.part(Clones).make() checks out the branch and follows it", async () => {
  await using world = await World.make();
  await world.addRemote("api");
  await world.git(bare(world), "branch", "develop", "main");
  await gitIn(world).at(world.directory, "api").part(Clones).make({
    url: world.url("api"),
    directory: "-x",
    branch: "develop",
    onLine: nothing,
  });
  const found = await gitIn(world).at(join(world.directory, "-x"), "api").status();
  assertEquals([found.branch, found.upstream], ["develop", "origin/develop"]);
});

Deno.test("Git.remotes.push() sends exactly the given commit", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const first = await commit(world, path, "a.txt");
  await commit(world, path, "b.txt");
  const outcome = await gitIn(world).at(path).remotes.push({
    commit: sha(first),
    branch: "topic",
    onLine: nothing,
  });
  assertEquals([outcome.ok, outcome.reason], [true, null]);
  assertEquals(await world.git(bare(world), "rev-parse", "refs/heads/topic"), first);
});

Deno.test("Git.remotes.push() leaves every other ref of the remote alone, tags too", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await world.git(path, "config", "push.followTags", "true");
  await world.git(path, "config", "push.default", "matching");
  const head = await commit(world, path, "a.txt");
  await world.git(path, "tag", "-a", "v1", "-m", "One");
  await world.git(path, "branch", "other");
  const before = await world.git(bare(world), "for-each-ref");
  await gitIn(world).at(path).remotes.push({ commit: sha(head), branch: "topic", onLine: nothing });
  assertEquals(
    await world.git(bare(world), "for-each-ref"),
    `${before}\n${head} commit\trefs/heads/topic`,
  );
});

Deno.test("Git.remotes.push() never forces: a diverged remote refuses and stays as it is", async () => {
  await using world = await World.make();
  const [ours, theirs] = [await clone(world, "ours"), await clone(world, "theirs")];
  const kept = await commit(world, theirs, "theirs.txt");
  await world.git(theirs, "push", "--quiet");
  // Not even when the repository is set up to force.
  await world.git(ours, "config", "remote.origin.push", "+refs/heads/*:refs/heads/*");
  const head = await commit(world, ours, "ours.txt");
  const outcome = await gitIn(world).at(ours).remotes.push({
    commit: sha(head),
    branch: "main",
    onLine: nothing,
  });
  assertEquals(outcome.ok, false);
  assertMatch(outcome.reason ?? "", /rejected/);
  assertEquals(await world.git(bare(world), "rev-parse", "refs/heads/main"), kept);
});

Deno.test("Git.remotes.push() of what the remote has already is no failure", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const head = await world.git(path, "rev-parse", "HEAD");
  assertEquals(
    (await gitIn(world).at(path).remotes.push({
      commit: sha(head),
      branch: "main",
      onLine: nothing,
    }))
      .ok,
    true,
  );
});

Deno.test("Git.remotes.push() passes on what the remote says, line by line", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await world.script("remotes/api.git/hooks/post-receive", "echo 'thank you'");
  const head = await commit(world, path, "a.txt");
  const lines: string[] = [];
  await gitIn(world).at(path).remotes.push({
    commit: sha(head),
    branch: "topic",
    onLine: (stream, line) => lines.push(`${stream} ${line.trim()}`),
  });
  assert(lines.includes("stderr remote: thank you"), lines.join("\n"));
});

Deno.test("Git.remotes.fetch() goes by the tracked branches of the clone, and writes or prunes no other ref", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const git = gitIn(world);
  const refs = () => world.git(path, "for-each-ref", "--format=%(refname)");
  await world.git(path, "tag", "mine");
  await world.git(path, "branch", "work");
  await world.git(path, "config", "--add", "remote.origin.fetch", "+refs/tags/*:refs/tags/*");
  await world.git(path, "config", "--add", "remote.origin.fetch", "+refs/heads/*:refs/heads/*");
  await world.git(path, "config", "remote.origin.pruneTags", "true");
  await world.git(bare(world), "branch", "feature", "main");
  await world.git(bare(world), "tag", "theirs", "main");
  await git.at(path, "api").remotes.fetch(null, nothing);
  assertEquals((await refs()).split("\n"), [
    "refs/heads/main",
    "refs/heads/work",
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/feature",
    "refs/remotes/origin/main",
    "refs/tags/mine",
    "refs/tags/theirs",
  ]);
  // A clone that was told to follow one branch goes on doing so.
  await world.git(path, "remote", "set-branches", "origin", "main");
  await world.git(bare(world), "branch", "later", "main");
  await git.at(path, "api").remotes.fetch(null, nothing);
  assertEquals((await refs()).includes("origin/later"), false);
});

Deno.test("remoteRefs.introduce() tells the branch of a remote without commits as a clone does", async () => {
  await using world = await World.make();
  const path = join(world.directory, "empty.git");
  await world.git(world.directory, "init", "--quiet", "--bare", "--initial-branch=trunk", path);
  const said = await gitIn(world).at(world.directory).remoteRefs.introduce(`file://${path}`, null);
  assertEquals([said.defaultBranch, said.isEmpty], ["trunk", true]);
});
