// A release takes back what it made, and nothing of anybody else.

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import { commitRelease, tagRelease } from "../../../../src/commands/release/operations.ts";
import { World } from "../../../support/world.ts";
import { repositoryIn } from "../../_support.ts";

/** A repository whose release is about to be committed, and the arguments of its steps. */
async function releasing(world: World) {
  const { directory, git, ctx } = await repositoryIn(world);
  await Deno.writeTextFile(join(directory, "a"), "v1.0.0\n");
  const args = {
    ...{ repo: "api", directory, branch: "main", parent: await git("rev-parse", "HEAD") },
    ...{ subject: "Release v1.0.0", message: "Release v1.0.0", files: ["a"] },
    ...{ tag: "v1.0.0", tagMessage: "v1.0.0" },
  };
  return { git, ctx, args };
}

Deno.test("the commit of a release is made on its branch alone", async () => {
  await using world = await World.make();
  const { git, ctx, args } = await releasing(world);
  await git("switch", "--quiet", "-c", "other");
  const error = await assertRejects(async () => await commitRelease.act(ctx, args), AmofError);
  assertEquals(error.code, "repo_changed");
  assertEquals(await git("rev-list", "--count", "--all"), "1");
});

Deno.test("taking a release back leaves a commit alone that says the same on top of another one", async () => {
  await using world = await World.make();
  const { git, ctx, args } = await releasing(world);
  await git("commit", "--quiet", "--allow-empty", "-m", "Theirs");
  await git("commit", "--quiet", "-a", "-m", args.subject);
  const tip = await git("rev-parse", "main");
  const error = await assertRejects(async () => await commitRelease.undo?.(ctx, args), AmofError);
  assertEquals([error.code, await git("rev-parse", "main")], ["would_lose_work", tip]);
});

Deno.test("taking a release back deletes its tag, and not the one that somebody moved", async () => {
  await using world = await World.make();
  const { git, ctx, args } = await releasing(world);
  await commitRelease.act(ctx, args);
  await tagRelease.act(ctx, args);
  const theirs = await git("commit-tree", "-m", "Theirs", "-p", args.parent, "main^{tree}");
  await git("tag", "--force", "-a", "-m", "Moved", args.tag, theirs);
  await tagRelease.undo?.(ctx, args);
  assertEquals(await git("rev-parse", `${args.tag}^{commit}`), theirs);
  await git("tag", "--force", "-a", "-m", "Back", args.tag, "main");
  await tagRelease.undo?.(ctx, args);
  assertEquals(await git("tag", "--list"), "");
});
