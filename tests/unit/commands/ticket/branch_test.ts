// Going back from a branch change that was cut off: never over what somebody wrote since, nor away from their branch.

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { createBranch, switchBranch } from "../../../../src/commands/ticket/steps/branch.ts";
import type { ExecuteContext } from "../../../../src/contract/mod.ts";
import { AmofError } from "../../../../src/base/error.ts";
import { Git } from "../../../../src/git/mod.ts";
import { operationTable } from "../../../../src/runs/steps/mod.ts";
import { World } from "../../../support/world.ts";
import { hermetic, rememberingReporter } from "../../_support.ts";

const OPERATIONS = operationTable([switchBranch, createBranch]);

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
