/**
 * Git that cannot be asked is told as that, and never taken for "not there".
 *
 * @module
 */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../src/base/error.ts";
import { Git } from "../../../src/git/mod.ts";
import { Releases } from "../../../src/git/write/mod.ts";
import { World } from "../../support/world.ts";
import { hermetic } from "../_support.ts";
import { clone } from "./_support.ts";

// A problem with git itself must not be taken for an answer.

const REFUSING: readonly (readonly [string, Record<string, string>, string])[] = [
  ["is missing", { PATH: "/nowhere" }, "git was not found on PATH"],
  ["does not trust the repository", { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" }, "git does not trust"],
];

for (const [what, env, found] of REFUSING) {
  Deno.test(`asking for what may not be there throws when git ${what}`, async () => {
    await using world = await World.make();
    const path = await clone(world);
    const git = new Git(hermetic(world, env));
    for (
      const ask of [
        () => git.at(path).refs.resolve("HEAD"),
        () => git.at(path).remotes.url("origin"),
        () => git.at(path).remotes.pushUrl("origin"),
        () => git.at(path).files.isIgnored("x"),
        () => git.at(path, "api").stashes.find("x"),
        () => git.at(path).history.isAncestor("HEAD", "HEAD"),
        () => git.at(path).history.countBetween("HEAD", "HEAD"),
        () => git.at(path, "api").history.unpushedCount(),
        () => git.at(path).commits.fileAt("HEAD", "README.md"),
        () => git.at(path).part(Releases).commitFacts("HEAD"),
      ]
    ) {
      const error = await assertRejects(ask, AmofError);
      assertStringIncludes(error.message, found);
    }
  });
}

Deno.test("a directory that git does not trust is named with the command that trusts it", async () => {
  await using world = await World.make();
  const path = await clone(world);
  const git = new Git(hermetic(world, { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" }));
  const error = await assertRejects(() => git.at(path, "api").status(), AmofError);
  assertEquals(
    error.message,
    `Cannot read the status of "api": git does not trust ${path}, because it belongs to another user`,
  );
  assertEquals(error.hint, `If you trust it: git config --global --add safe.directory ${path}`);
});

Deno.test("a git that is too old says so, whether it says no or does not understand", async () => {
  await using world = await World.make();
  const path = await clone(world);
  for (const exit of [1, 129]) {
    const env = await world.wrapGit(
      `case " $* " in *" version "*) echo 'git version 2.17.1'; exit 0 ;; *) exit ${exit} ;; esac`,
    );
    const git = new Git(hermetic(world, env));
    const error = await assertRejects(
      () =>
        exit === 1 ? git.at(path).refs.resolve("refs/heads/nope") : git.at(path, "api").status(),
      AmofError,
    );
    assertStringIncludes(error.message, "git 2.17.1 is too old, 2.30 or later is needed");
    assertEquals(error.details["kind"], "too_old");
  }
});

Deno.test("a working copy whose repository moved away names where it pointed", async () => {
  await using world = await World.make();
  await world.write("lost/.git", "gitdir: /nowhere/else\n");
  const error = await assertRejects(
    () => new Git(hermetic(world)).at(join(world.directory, "lost"), "api").status(),
    AmofError,
  );
  assertMatch(
    error.message,
    /belongs to (?:\/nowhere\/else|what \S+\/lost\/\.git names), which is not a git repository/,
  );
  // In there git does not find the repository that is to mend it.
  assertStringIncludes(error.hint, `git -C REPOSITORY worktree repair ${world.directory}/lost`);
});

Deno.test("a directory that is gone is not taken for a git that is missing", async () => {
  await using world = await World.make();
  const error = await assertRejects(
    () => new Git(hermetic(world)).at(join(world.directory, "gone"), "api").status(),
    AmofError,
  );
  assertEquals(error.details["kind"], "no_directory");
});
