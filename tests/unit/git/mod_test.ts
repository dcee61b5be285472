// Covers the Git class with the installed git in real repositories.

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../src/error.ts";
import { Git } from "../../../src/git/mod.ts";
import { World } from "../../support/world.ts";
import { hermetic } from "../_support.ts";

const nothing = () => {};
const gitIn = (world: World, extra: Record<string, string> = {}) => new Git(hermetic(world, extra));

async function commit(
  world: World,
  path: string,
  file = "file.txt",
  text = "one\n",
): Promise<string> {
  await Deno.writeTextFile(join(path, file), text);
  await world.git(path, "add", "--all");
  await world.git(path, "commit", "--quiet", "-m", `Write ${file}`);
  return await world.git(path, "rev-parse", "HEAD");
}

/** A repository on main with one commit of `file.txt`, and its path. */
async function repository(world: World, name = "repo"): Promise<string> {
  const path = join(world.directory, name);
  await Deno.mkdir(path, { recursive: true });
  await world.git(path, "init", "--quiet", "--initial-branch=main");
  await commit(world, path);
  return path;
}

async function clone(world: World, name = "clone"): Promise<string> {
  await world.addRemote("api");
  await world.git(world.directory, "clone", "--quiet", world.url("api"), name);
  return join(world.directory, name);
}

const bare = (world: World) => join(world.remotes, "api.git");
const exists = (path: string) => Deno.lstat(path).then(() => true, () => false);

/** Writes a program that leaves a mark where it runs, and answers where. */
async function marking(world: World, file: string): Promise<string> {
  const mark = `${file}.ran`;
  await world.write(file, `#!/bin/sh\ntouch '${join(world.directory, mark)}'\n`);
  await Deno.chmod(join(world.directory, file), 0o755);
  return join(world.directory, mark);
}

// Which repository.

Deno.test("Git ignores a repository named in the environment", async () => {
  await using world = await World.make();
  const [path, other] = [await repository(world), await repository(world, "other")];
  await world.git(other, "switch", "--quiet", "-c", "elsewhere");
  const git = gitIn(world, {
    GIT_DIR: join(other, ".git"),
    GIT_WORK_TREE: other,
    GIT_INDEX_FILE: join(other, ".git", "index"),
    GIT_OBJECT_DIRECTORY: join(other, ".git", "objects"),
    GIT_COMMON_DIR: join(other, ".git"),
    GIT_NAMESPACE: "x",
    GIT_PREFIX: "sub/",
  });
  const found = await git.at(path, "api").status();
  assertEquals([found.branch, found.changes], ["main", []]);
});

Deno.test("Git does not mistake a directory below a repository for one", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const below = join(path, "repos", "api");
  await Deno.mkdir(below, { recursive: true });
  const error = await assertRejects(() => gitIn(world).at(below, "api").status(), AmofError);
  assertEquals(error.details["kind"], "not_a_repo");
});

Deno.test("Git does not take a broken repository for the one around it", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await Deno.mkdir(join(path, "inner", ".git"), { recursive: true });
  const error = await assertRejects(
    () => gitIn(world).at(join(path, "inner"), "api").status(),
    AmofError,
  );
  assertEquals(error.details["kind"], "not_a_repo");
});

// Code that a repository brings along.

Deno.test("Git runs neither hooks nor the file system monitor of a repository when it reads", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const marks = [
    await marking(world, "monitor"),
    await marking(world, "hooks/post-index-change"),
    await marking(world, "hooks/reference-transaction"),
    await marking(world, "hooks/post-checkout"),
  ];
  await world.git(path, "config", "core.fsmonitor", join(world.directory, "monitor"));
  await world.git(path, "config", "core.hooksPath", join(world.directory, "hooks"));
  const git = gitIn(world);
  const touch = () => Deno.utime(join(path, "README.md"), new Date(), new Date());
  await touch();
  await git.at(path, "api").status("all");
  await git.at(path).untrackedPaths();
  await git.at(path, "api").history.unpushedCount();
  await git.at(path).refs.resolve("HEAD");
  await git.at(path).worktrees.list();
  await git.at(path).isIgnored("x");
  await git.at(path, "api").remotes.branches("origin");
  assertEquals(await Promise.all(marks.map(exists)), [false, false, false, false]);
  // A git without these settings does run them.
  await touch();
  await world.git(path, "status");
  assertEquals((await Promise.all(marks.map(exists))).slice(0, 2), [true, true]);
});

Deno.test("Git runs no hooks for changes that are its own", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const mark = await marking(world, "hooks/post-checkout");
  await world.git(path, "config", "core.hooksPath", join(world.directory, "hooks"));
  const git = gitIn(world);
  await git.at(path).worktrees.add({
    path: join(world.directory, "linked"),
    branch: "topic",
    from: "HEAD",
  });
  await git.at(path, "api").branches.create("other");
  assertEquals(await exists(mark), false);
  await world.git(path, "switch", "--quiet", "main");
  assertEquals(await exists(mark), true);
});

Deno.test("Git runs the user's hooks when it commits and pushes for the user", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const marks = [await marking(world, "hooks/pre-commit"), await marking(world, "hooks/pre-push")];
  await world.git(path, "config", "core.hooksPath", join(world.directory, "hooks"));
  await Deno.writeTextFile(join(path, "work.txt"), "x");
  const git = gitIn(world);
  await git.at(path, "api").commits.all("Work", nothing);
  const head = await git.at(path).refs.resolve("HEAD") ?? "";
  await git.at(path).remotes.push({ commit: head, branch: "topic", onLine: nothing });
  assertEquals(await Promise.all(marks.map(exists)), [true, true]);
});

Deno.test("Git refuses URLs that run a program, also where the user's configuration allows them", async () => {
  await using world = await World.make();
  const mark = await marking(world, "helper");
  await world.write("gitconfig", '[protocol "ext"]\n\tallow = always\n');
  const GIT_CONFIG_GLOBAL = join(world.directory, "gitconfig");
  const url = `ext::${join(world.directory, "helper")}`;
  const git = gitIn(world, { GIT_CONFIG_GLOBAL });
  await assertRejects(
    () =>
      git.at(world.directory, "api").remotes.clone({
        url,
        directory: "x",
        branch: "main",
        onLine: nothing,
      }),
    AmofError,
  );
  assertEquals(await exists(mark), false);
  await world.command("git", ["clone", url, "x"], { env: { GIT_CONFIG_GLOBAL } });
  assertEquals(await exists(mark), true);
});

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

Deno.test("Git.activity() names the unfinished operation", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "switch", "--quiet", "-c", "side");
  await commit(world, path, "file.txt", "side\n");
  await world.git(path, "switch", "--quiet", "main");
  await commit(world, path, "file.txt", "main\n");
  const git = gitIn(world);
  assertEquals(await git.at(path).activity(), { inProgress: null });
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["merge", ["merge", "side"], ["merge", "--abort"]],
    ["rebase", ["rebase", "side"], ["rebase", "--abort"]],
    ["cherry-pick", ["cherry-pick", "side"], ["cherry-pick", "--abort"]],
    ["revert", ["revert", "--no-edit", "HEAD~"], ["revert", "--abort"]],
    ["bisect", ["bisect", "start"], ["bisect", "reset"]],
  ];
  for (const [name, begin, abort] of cases) {
    await world.command("git", begin, { cwd: path });
    assertEquals<string | null | undefined>((await git.at(path).activity())?.inProgress, name);
    await world.git(path, ...abort);
  }
});

Deno.test("Git.activity() looks into the git directory of a linked worktree", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const linked = join(world.directory, "linked");
  await world.git(path, "worktree", "add", "--quiet", "-b", "topic", linked);
  await world.git(linked, "bisect", "start");
  const git = gitIn(world);
  assertEquals(await git.at(linked).activity(), { inProgress: "bisect" });
  assertEquals(await git.at(path).activity(), { inProgress: null });
});

Deno.test("Git.activity() is null where there is no repository", async () => {
  await using world = await World.make();
  assertEquals(await gitIn(world).at(world.directory).activity(), null);
});

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

Deno.test("Git.untrackedPaths() lists ignored files too, and nested repositories as directories", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await commit(world, path, ".gitignore", "ignored/\n");
  await repository(world, "repo/nested");
  await Deno.mkdir(join(path, "ignored"));
  await Deno.writeTextFile(join(path, "ignored", "a\nb"), "x");
  await Deno.writeTextFile(join(path, "new.txt"), "x");
  assertEquals((await gitIn(world).at(path).untrackedPaths()).sort(), [
    "ignored/a\nb",
    "nested/",
    "new.txt",
  ]);
});

Deno.test("Git.isIgnored() asks git's own rules", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await commit(world, path, ".gitignore", "*.log\n");
  const git = gitIn(world);
  assertEquals([await git.at(path).isIgnored("x.log"), await git.at(path).isIgnored("x.txt")], [
    true,
    false,
  ]);
});

Deno.test("Git.remotes.branches() asks the remote and not what was fetched", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const head = await world.git(path, "rev-parse", "HEAD");
  await world.git(bare(world), "branch", "topic/x", "main");
  assertEquals(
    [...await gitIn(world).at(path, "api").remotes.branches("origin")].sort(),
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

Deno.test("Git.version() is a bare version number", async () => {
  await using world = await World.make();
  assertMatch(await gitIn(world).version(world.directory), /^\d+\.\d+/);
});

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

// Writing.

Deno.test("Git.remotes.fetch() brings new branches and removes vanished ones", async () => {
  await using world = await World.make();
  await world.addRemote("api");
  await world.git(bare(world), "branch", "gone", "main");
  const path = await clone(world);
  await world.git(bare(world), "branch", "-D", "gone");
  await world.git(bare(world), "branch", "new", "main");
  await gitIn(world).at(path, "api").remotes.fetch(nothing);
  const refs = await gitIn(world).at(path, "api").refs.list([
    "refs/remotes/origin/gone",
    "refs/remotes/origin/new",
  ]);
  assertEquals([...refs.keys()], ["refs/remotes/origin/new"]);
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
  assertEquals(await gitIn(world).at(path).activity(), { inProgress: null });
});

Deno.test("Git.refs.move() moves a ref only from where it was expected", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const before = await world.git(path, "rev-parse", "HEAD");
  await world.git(path, "branch", "topic");
  const after = await commit(world, path, "b.txt");
  const git = gitIn(world);
  assertEquals(
    await git.at(path).refs.move("refs/heads/topic", { to: after, expected: after }),
    false,
  );
  assertEquals(await git.at(path).refs.resolve("refs/heads/topic"), before);
  assertEquals(
    await git.at(path).refs.move("refs/heads/topic", { to: after, expected: before }),
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

Deno.test("Git.remotes.deleteBranch() deletes a branch of the remote only where it is expected", async () => {
  await using world = await World.make();
  await world.addRemote("api");
  await world.git(bare(world), "branch", "topic", "main");
  const path = await clone(world);
  const expected = await world.git(path, "rev-parse", "HEAD");
  const other = await commit(world, path, "more.txt");
  const git = gitIn(world);
  await assertRejects(
    () => git.at(path, "api").remotes.deleteBranch({ branch: "topic", commit: other }),
    AmofError,
  );
  assertEquals(await world.git(bare(world), "rev-parse", "refs/heads/topic"), expected);
  await git.at(path, "api").remotes.deleteBranch({ branch: "topic", commit: expected });
  assertEquals(
    await world.git(bare(world), "for-each-ref", "--format=%(refname)"),
    "refs/heads/main",
  );
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

Deno.test("Git.hasIndex() is false where a checkout was never finished", async () => {
  await using world = await World.make();
  const path = await repository(world);
  const linked = join(world.directory, "linked");
  await world.git(path, "worktree", "add", "--quiet", "--no-checkout", "-b", "topic", linked);
  const git = gitIn(world);
  assertEquals(
    [
      await git.at(path).hasIndex(),
      await git.at(linked).hasIndex(),
      await git.at(world.directory).hasIndex(),
    ],
    [true, false, false],
  );
});

Deno.test("Git.worktrees.add() puts an existing branch into a new worktree", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await world.git(path, "branch", "topic");
  const linked = join(world.directory, "linked");
  await gitIn(world).at(path).worktrees.add({ path: linked, branch: "topic", from: null });
  assertEquals(await world.git(linked, "branch", "--show-current"), "topic");
});

Deno.test("Git.remotes.clone() checks out the branch and follows it", async () => {
  await using world = await World.make();
  await world.addRemote("api");
  await world.git(bare(world), "branch", "develop", "main");
  await gitIn(world).at(world.directory, "api").remotes.clone({
    url: world.url("api"),
    directory: "-x",
    branch: "develop",
    onLine: nothing,
  });
  const found = await gitIn(world).at(join(world.directory, "-x"), "api").status();
  assertEquals([found.branch, found.upstream], ["develop", "origin/develop"]);
});

Deno.test("Git.commits.all() commits changed, deleted and new files", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await commit(world, path, "gone.txt");
  await Deno.writeTextFile(join(path, "file.txt"), "two\n");
  await Deno.remove(join(path, "gone.txt"));
  await Deno.writeTextFile(join(path, "new.txt"), "x");
  await gitIn(world).at(path, "api").commits.all("All", nothing);
  assertEquals(
    await world.git(path, "show", "--no-renames", "--format=%s", "--name-status", "HEAD"),
    "All\n\nM\tfile.txt\nD\tgone.txt\nA\tnew.txt",
  );
});

Deno.test("Git.commits.all() never stages .amof/", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await Deno.mkdir(join(path, ".amof"));
  await Deno.writeTextFile(join(path, ".amof", "state.json"), "{}");
  await Deno.writeTextFile(join(path, "new.txt"), "x");
  await gitIn(world).at(path, "api").commits.all("All", nothing);
  assertEquals(await world.git(path, "ls-files"), "file.txt\nnew.txt");
  assertEquals(await world.git(path, "status", "--porcelain"), "?? .amof/");
});

Deno.test("Git.commits.all() leaves a tracked file below .amof/ as it was committed", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await Deno.mkdir(join(path, ".amof"));
  await commit(world, path, ".amof/profile.md", "before\n");
  await Deno.writeTextFile(join(path, ".amof", "profile.md"), "after\n");
  await Deno.writeTextFile(join(path, "new.txt"), "x");
  await gitIn(world).at(path, "api").commits.all("All", nothing);
  assertEquals(await world.git(path, "show", "HEAD:.amof/profile.md"), "before");
});

Deno.test("Git.commits.all() keeps the message as it was written", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await Deno.writeTextFile(join(path, "new.txt"), "x");
  const message = "-m looks like an option\n\n# not a comment\n\n\n  indented; $(touch x)\n";
  await gitIn(world).at(path, "api").commits.all(message, nothing);
  assertEquals(`${await world.git(path, "show", "-s", "--format=%B")}\n`, `${message}\n`);
});

Deno.test("Git.commits.paths() commits the named paths and leaves what was staged besides", async () => {
  await using world = await World.make();
  const path = await repository(world);
  await Deno.writeTextFile(join(path, "staged.txt"), "x");
  await world.git(path, "add", "staged.txt");
  await Deno.writeTextFile(join(path, "-named.txt"), "x");
  const head = await gitIn(world).at(path).commits.paths(["-named.txt"], "Named");
  assertEquals(head, await world.git(path, "rev-parse", "HEAD"));
  assertEquals(await world.git(path, "show", "--format=", "--name-only", "HEAD"), "-named.txt");
  assertEquals(await world.git(path, "status", "--porcelain"), "A  staged.txt");
});

Deno.test("Git.remotes.push() sends exactly the given commit", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const first = await commit(world, path, "a.txt");
  await commit(world, path, "b.txt");
  const outcome = await gitIn(world).at(path).remotes.push({
    commit: first,
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
  await gitIn(world).at(path).remotes.push({ commit: head, branch: "topic", onLine: nothing });
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
    commit: head,
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
    (await gitIn(world).at(path).remotes.push({ commit: head, branch: "main", onLine: nothing }))
      .ok,
    true,
  );
});

Deno.test("Git.remotes.push() passes on what the remote says, line by line", async () => {
  await using world = await World.make();
  const path = await clone(world);
  await world.write("remotes/api.git/hooks/post-receive", "#!/bin/sh\necho 'thank you'\n");
  await Deno.chmod(join(bare(world), "hooks", "post-receive"), 0o755);
  const head = await commit(world, path, "a.txt");
  const lines: string[] = [];
  await gitIn(world).at(path).remotes.push({
    commit: head,
    branch: "topic",
    onLine: (stream, line) => lines.push(`${stream} ${line.trim()}`),
  });
  assert(lines.includes("stderr remote: thank you"), lines.join("\n"));
});

Deno.test("Git.branches.setUpstream() makes a branch follow another", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const git = gitIn(world);
  await git.at(path, "api").branches.create("topic");
  await git.at(path, "api").branches.setUpstream("topic", "origin/main");
  assertEquals((await git.at(path, "api").status()).upstream, "origin/main");
});

Deno.test("Git makes a repository from nothing: init, configuration, remote, branch", async () => {
  await using world = await World.make();
  const path = join(world.directory, "fresh");
  await Deno.mkdir(path);
  const git = gitIn(world);
  await git.at(path).init(false);
  await git.at(path).setConfig("user.name", "Someone");
  await git.at(path).remotes.add("origin", "file:///srv/x.git");
  assertEquals((await git.at(path, "api").status()).branch, "main");
  assertEquals(await world.git(path, "config", "user.name"), "Someone");
  assertEquals(await git.at(path).remotes.pushUrl("origin"), "file:///srv/x.git");
});

Deno.test("Git.init() makes a bare repository", async () => {
  await using world = await World.make();
  const path = join(world.directory, "fresh.git");
  await Deno.mkdir(path);
  await gitIn(world).at(path).init(true);
  assertEquals(await world.git(path, "rev-parse", "--is-bare-repository"), "true");
});

/** A clone whose branch `other` tracks files that are ignored here, of which some are in the way. */
async function withIgnored(world: World): Promise<string> {
  const path = await repository(world);
  await commit(world, path, ".gitignore", "secret*\nbuild\n");
  await world.git(path, "switch", "--quiet", "-c", "other");
  await Deno.writeTextFile(join(path, "secret.txt"), "theirs\n");
  await Deno.writeTextFile(join(path, "build"), "theirs\n");
  await world.git(path, "add", "--force", ".");
  await world.git(path, "commit", "--quiet", "-m", "Theirs");
  await world.git(path, "switch", "--quiet", "main");
  await Deno.writeTextFile(join(path, "secret.txt"), "mine\n");
  await Deno.mkdir(join(path, "build"));
  await Deno.writeTextFile(join(path, "build", "out"), "mine\n");
  return path;
}

const INTO_OTHER: Readonly<Record<string, (git: Git, path: string) => Promise<unknown>>> = {
  "branches.switchTo": (git, path) => git.at(path, "api").branches.switchTo("other"),
  "branches.create": (git, path) => git.at(path, "api").branches.create("new", { start: "other" }),
  "branches.fastForward": (git, path) => git.at(path, "api").branches.fastForward("other"),
  "commits.checkOut": (git, path) => git.at(path).commits.checkOut("other", "it"),
  "remotes.pull": (git, path) => git.at(path).remotes.pull({ branch: "other", remote: "self" }),
  "remotes.pull with rebase": (git, path) =>
    git.at(path).remotes.pull({ branch: "other", remote: "self", rebase: true }),
};

for (const [method, call] of Object.entries(INTO_OTHER)) {
  Deno.test(`Git.${method}() writes over no ignored file`, async () => {
    await using world = await World.make();
    const path = await withIgnored(world);
    await world.git(path, "remote", "add", "self", path);
    const head = await world.git(path, "rev-parse", "HEAD");
    const error = await assertRejects(() => call(gitIn(world), path), AmofError);
    assertMatch(error.message, /in the way: (?:build|secret\.txt)/);
    assertEquals(error.details["kind"], "in_the_way");
    assertMatch(error.hint ?? "", /move (?:them|these files) away/i);
    assertEquals(await Deno.readTextFile(join(path, "secret.txt")), "mine\n");
    assertEquals(await Deno.readTextFile(join(path, "build", "out")), "mine\n");
    assertEquals(await world.git(path, "rev-parse", "HEAD"), head);
    assertEquals(await world.git(path, "branch", "--show-current"), "main");
  });
}

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
  await git.at(path, "api").remotes.fetch(nothing);
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
  await git.at(path, "api").remotes.fetch(nothing);
  assertEquals((await refs()).includes("origin/later"), false);
});
