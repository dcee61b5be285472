// Going back from a branch change that was cut off: never over what somebody wrote since, nor away from their branch.

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import {
  createBranch,
  deleteBranch,
  fetchBranch,
  switchBranch,
} from "../../../../src/commands/ticket/steps/branch.ts";
import type { ExecuteContext } from "../../../../src/contract/mod.ts";
import { AmofError } from "../../../../src/base/error.ts";
import { Git } from "../../../../src/git/mod.ts";
import { operationTable } from "../../../../src/runs/steps/mod.ts";
import { World } from "../../../support/world.ts";
import { hermetic, rememberingReporter } from "../../_support.ts";

const OPERATIONS = operationTable([switchBranch, createBranch, fetchBranch, deleteBranch]);

/** What has happened since the switch from `main` to `work` was cut off, and what going back makes of it. */
const CASES: readonly {
  readonly what: string;
  readonly since: (world: World, clone: string) => Promise<unknown>;
  readonly refused?: boolean;
  readonly branch: string;
  readonly text: string;
}[] = [
  {
    what: "it was just done",
    since: () => Promise.resolve(),
    branch: "main",
    text: "of main\n",
  },
  {
    what: "somebody has written to a file that the branches have differently",
    since: (_, clone) => Deno.writeTextFile(join(clone, "a"), "mine\n"),
    refused: true,
    branch: "work",
    text: "mine\n",
  },
  {
    what: "somebody has gone to another branch",
    since: (world, clone) => world.git(clone, "switch", "--quiet", "-c", "theirs"),
    branch: "theirs",
    text: "of work\n",
  },
];

for (const { what, since, refused = false, branch, text } of CASES) {
  Deno.test({
    name: `going back from a branch where ${what} ends on ${branch}`,
    ignore: Deno.build.os === "windows", // line ends
    async fn() {
      await using world = await World.make();
      const directory = join(world.directory, "api");
      await Deno.mkdir(directory);
      const git = (...args: string[]) => world.git(directory, ...args);
      await git("init", "--quiet", "--initial-branch=main");
      for (const name of ["main", "work"]) {
        if (name === "work") await git("switch", "--quiet", "-c", "work");
        await Deno.writeTextFile(join(directory, "a"), `of ${name}\n`);
        await git("add", ".");
        await git("commit", "--quiet", "-m", `Of ${name}`);
      }
      const [head, target] = [await git("rev-parse", "main"), await git("rev-parse", "work")];
      await since(world, directory);
      const system = hermetic(world);
      const ctx = {
        ...{ system, git: new Git(system), report: rememberingReporter() },
        signal: new AbortController().signal,
      } as unknown as ExecuteContext;
      const args = { repo: "api", directory, from: "main", to: "work", head, target };
      const back = async () => await OPERATIONS.get("switch_branch")?.undo?.(ctx, args);
      if (refused) {
        const error = await assertRejects(back, AmofError);
        assertEquals([error.code, error.details["paths"]], ["would_lose_work", ["a"]]);
      } else await back();
      assertEquals(await git("symbolic-ref", "--short", "HEAD"), branch);
      assertEquals(await Deno.readTextFile(join(directory, "a")), text);
    },
  });
}

/** A clone of api with a branch `work`, and what operations work with. */
async function cloned(world: World) {
  await world.addRemote("api");
  const directory = join(world.directory, "api");
  await world.git(world.directory, "clone", "--quiet", world.url("api"), directory);
  const git = (...args: string[]) => world.git(directory, ...args);
  await git("branch", "work");
  const system = hermetic(world);
  const ctx = {
    ...{ system, git: new Git(system), report: rememberingReporter() },
    signal: new AbortController().signal,
  } as unknown as ExecuteContext;
  return { directory, git, ctx };
}

Deno.test("a branch that is deleted comes back where its run fails", async () => {
  await using world = await World.make();
  const { directory, git, ctx } = await cloned(world);
  const args = { repo: "api", directory, branch: "work", commit: await git("rev-parse", "work") };
  await OPERATIONS.get("delete_branch")?.act(ctx, args);
  assertEquals(await git("branch", "--list", "work"), "");
  await OPERATIONS.get("delete_branch")?.undo?.(ctx, args);
  assertEquals(await git("rev-parse", "work"), args.commit);
});

Deno.test("a branch that has moved since somebody looked is not deleted", async () => {
  await using world = await World.make();
  const { directory, git, ctx } = await cloned(world);
  const args = { repo: "api", directory, branch: "work", commit: await git("rev-parse", "work") };
  const since = await git("commit-tree", "-p", "work", "-m", "Since", "work^{tree}");
  await git("branch", "--force", "work", since);
  const error = await assertRejects(
    async () => await OPERATIONS.get("delete_branch")?.act(ctx, args),
    AmofError,
  );
  assertEquals([error.code, await git("rev-parse", "work")], ["would_lose_work", since]);
});

Deno.test("a ticket begins on no commit that was pushed since somebody looked", async () => {
  await using world = await World.make();
  const { directory, git, ctx } = await cloned(world);
  const commit = await git("rev-parse", "work");
  const since = await git("commit-tree", "-p", "work", "-m", "Since", "work^{tree}");
  await git("push", "--quiet", "origin", `${since}:refs/heads/theirs`);
  await git("update-ref", "-d", "refs/remotes/origin/theirs");
  const args = { repo: "api", directory, branch: "theirs", commit };
  const error = await assertRejects(
    async () => await OPERATIONS.get("fetch_branch")?.act(ctx, args),
    AmofError,
  );
  assertEquals(error.code, "repo_changed");
  await OPERATIONS.get("fetch_branch")?.act(ctx, { ...args, commit: since });
});
