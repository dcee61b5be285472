/**
 * Commits: of everything, of named paths, with the message as it was written.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Releases } from "../../../../src/git/write/mod.ts";
import { World } from "../../../support/world.ts";
import { commit, gitIn, nothing, repository } from "../_support.ts";

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

Deno.test({
  name:
    "what a hook staged is in the index after a commit of named files, what the user staged too",
  ignore: Deno.build.os === "windows", // hooks
  async fn() {
    await using world = await World.make();
    const path = await repository(world);
    await world.hook(
      join(path, ".git"),
      "pre-commit",
      "for f in named.txt file.txt; do [ -f $f ] && echo formatted >>$f && git add $f; done; echo x >stamp; git add stamp",
    );
    await Deno.writeTextFile(join(path, "mine.txt"), "x");
    await world.git(path, "add", "mine.txt");
    await Deno.writeTextFile(join(path, "named.txt"), "x\n");
    await gitIn(world).at(path).commits.paths(["named.txt"], "New");
    assertEquals(await world.git(path, "status", "--porcelain"), "A  mine.txt");
    await Deno.writeTextFile(join(path, "named.txt"), "y\n");
    await gitIn(world).at(path).part(Releases).commitFiles(["named.txt"], "Changed");
    assertEquals(await world.git(path, "status", "--porcelain"), "A  mine.txt");
    assertEquals(await world.git(path, "show", "HEAD:named.txt"), "y\nformatted");
  },
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
