/**
 * Git goes by nothing but what it is told: not by the environment, a repository above, hooks or monitors.
 *
 * @module
 */

import { sha } from "../../../src/base/ids.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../src/base/error.ts";
import { exists } from "../../support/answers.ts";
import { World } from "../../support/world.ts";
import { clone, gitIn, nothing, repository } from "./_support.ts";
import { Clones } from "../../../src/git/write/mod.ts";

/** Writes a program that leaves a mark where it runs, and answers where. */
async function marking(world: World, file: string): Promise<string> {
  const mark = `${file}.ran`;
  await world.script(file, `touch '${join(world.directory, mark)}'`);
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
    GIT_REFERENCE_BACKEND: `files://${other}/.git`,
    GIT_CONFIG: join(other, ".git", "config"),
    GIT_ATTR_SOURCE: "elsewhere",
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
  await git.at(path).files.untracked();
  await git.at(path, "api").history.unpushedCount();
  await git.at(path).refs.resolve("HEAD");
  await git.at(path).worktrees.linked();
  await git.at(path).files.isIgnored("x");
  await git.at(path, "api").remoteRefs.branches("origin");
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

Deno.test("Git runs no hooks that the user's configuration names, which it knows since 2.54", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const mark = await marking(world, "hook");
  const events = ["reference-transaction", "post-checkout", "post-index-change", "post-commit"];
  const lines = events.map((event) => `\tevent = ${event}\n`).join("");
  await world.write(
    "gitconfig",
    `[hook "spy"]\n\tcommand = ${join(world.directory, "hook")}\n${lines}` +
      "[user]\n\tname = A\n\temail = a@example.com\n",
  );
  const GIT_CONFIG_GLOBAL = join(world.directory, "gitconfig");
  const git = gitIn(world, { GIT_CONFIG_GLOBAL });
  const api = git.at(path, "api");
  await api.branches.create("other");
  await api.remotes.fetchBranch("main", nothing);
  await api.status("all");
  const linked = join(world.directory, "linked");
  await api.worktrees.add({ path: linked, branch: "topic", from: "HEAD" });
  assertEquals(await exists(mark), false);
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
  await git.at(path).remotes.push({ commit: sha(head), branch: "topic", onLine: nothing });
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
      git.at(world.directory, "api").part(Clones).make({
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

Deno.test("Git makes no commit of two people where the environment names only a committer", async () => {
  await using world = await World.make();
  const path = await clone(world);
  for (const role of ["AUTHOR", "COMMITTER"]) {
    for (const part of ["NAME", "EMAIL"]) delete world.env[`GIT_${role}_${part}`];
  }
  const people = async (env: Record<string, string>) => {
    await Deno.writeTextFile(join(path, "work.txt"), JSON.stringify(env));
    await gitIn(world, env).at(path, "api").commits.all("Work", nothing);
    const names = await world.git(path, "log", "-1", "--format=%an,%cn");
    return names.split(",").map((name) => name === "Other" ? name : "own");
  };
  const author = { GIT_AUTHOR_NAME: "Other", GIT_AUTHOR_EMAIL: "o@example.com" };
  const committer = { GIT_COMMITTER_NAME: "Other", GIT_COMMITTER_EMAIL: "o@example.com" };
  await world.git(path, "config", "user.name", "Own");
  await world.git(path, "config", "user.email", "own@example.com");
  assertEquals(await people(committer), ["own", "own"]);
  assertEquals(await people({ ...author, ...committer }), ["Other", "Other"]);
});
