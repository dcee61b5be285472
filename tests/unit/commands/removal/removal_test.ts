// What came into a workspace while it was being taken away is not deleted with it.

import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import { operationTable } from "../../../../src/runs/steps/mod.ts";
import { REMOVAL_OPERATIONS } from "../../../../src/commands/removal/removal.ts";
import { amongDigest } from "../../../../src/workspace/tickets/stock.ts";
import { digestOf } from "../../../../src/workspace/removal/mod.ts";
import { World } from "../../../support/world.ts";
import { repositoryIn } from "../../_support.ts";

const OPERATIONS = operationTable(REMOVAL_OPERATIONS);

/** What comes into a clone behind the last look at it. */
const SINCE: Readonly<
  Record<string, (directory: string, git: (...args: string[]) => Promise<string>) => unknown>
> = {
  "a file": (directory) => Deno.writeTextFile(join(directory, "new"), "new\n"),
  "a commit": (_, git) => git("commit", "--quiet", "--allow-empty", "-m", "Since"),
  "a branch": (_, git) => git("branch", "theirs"),
};

for (const [what, since] of Object.entries(SINCE)) {
  Deno.test(`a workspace that is set aside is not deleted where ${what} came meanwhile`, async () => {
    await using world = await World.make();
    const { directory, git, ctx } = await repositoryIn(world);
    const repo = { name: "api", path: "api", digest: await digestOf(ctx, directory, "api") };
    const check = async () =>
      await OPERATIONS.get("check_workspace_aside")?.act(ctx, {
        aside: world.directory,
        repos: [repo],
      });
    await check();
    await since(directory, git);
    assertEquals((await assertRejects(check, AmofError)).code, "would_lose_work");
  });
}

Deno.test("the workspace of a ticket is not deleted where a file came among its clones", async () => {
  await using world = await World.make();
  const { ctx } = await repositoryIn(world);
  const [aside, paths] = [join(world.directory, "T-1"), ["api"]];
  await Deno.mkdir(join(aside, "api"), { recursive: true });
  const among = { paths, digest: await amongDigest(ctx.system, aside, paths) };
  const check = async () =>
    await OPERATIONS.get("check_workspace_aside")?.act(ctx, { aside, repos: [], among });
  await Deno.writeTextFile(join(aside, "api", "inside"), "is looked at by git\n");
  await check();
  await Deno.writeTextFile(join(aside, "notes.md"), "mine\n");
  assertEquals((await assertRejects(check, AmofError)).code, "would_lose_work");
});

Deno.test("a branch of the workspace goes as it was seen, and no commit that came since", async () => {
  await using world = await World.make();
  const { directory, git, ctx, report } = await repositoryIn(world);
  await git("branch", "work");
  const args = { root: directory, branch: "work", commit: await git("rev-parse", "work") };
  const since = await git("commit-tree", "-m", "Since", "-p", "work", "work^{tree}");
  await git("branch", "--force", "work", since);
  await OPERATIONS.get("drop_branch")?.act(ctx, args);
  assertEquals(await git("rev-parse", "work"), since);
  assert(report.lines.some((line) => line.startsWith("warn The branch work stays")));
  await OPERATIONS.get("drop_branch")?.act(ctx, { ...args, commit: since });
  assertEquals(await git("branch", "--list", "work"), "");
});
