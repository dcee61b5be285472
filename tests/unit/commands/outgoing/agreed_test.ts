// What was agreed to is what goes: nothing that came since, and nothing after an interrupt.

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import {
  type Agreed,
  commitAgreed,
  digestOf,
  nextDirectory,
  toCommit,
} from "../../../../src/commands/outgoing/files.ts";
import { contentsOf } from "../../../../src/commands/outgoing/contents.ts";
import { pushOne } from "../../../../src/commands/push/send.ts";
import type { PushFact } from "../../../../src/commands/push/plan.ts";
import type { ExecuteContext } from "../../../../src/contract/mod.ts";
import { AmofError } from "../../../../src/base/error.ts";
import { makeGuard } from "../../../../src/workspace/manifest/mod.ts";
import { World } from "../../../support/world.ts";
import { repositoryIn } from "../../_support.ts";

/** What happens between the agreement and the commit, and whether it is still made. */
const SINCE: readonly {
  readonly what: string;
  readonly staged: boolean;
  readonly since: (
    directory: string,
    git: (...args: string[]) => Promise<string>,
  ) => Promise<unknown>;
  readonly refused: boolean;
}[] = [
  { what: "nothing", staged: false, since: () => Promise.resolve(), refused: false },
  { what: "nothing", staged: true, since: () => Promise.resolve(), refused: false },
  {
    what: "a file that came",
    staged: false,
    since: (directory) => Deno.writeTextFile(join(directory, "b"), "came\n"),
    refused: true,
  },
  {
    what: "a file that was staged besides",
    staged: true,
    since: async (directory, git) => {
      await Deno.writeTextFile(join(directory, "b"), "came\n");
      await git("add", "b");
    },
    refused: true,
  },
  {
    what: "other contents of what is staged",
    staged: true,
    since: async (directory, git) => {
      await Deno.writeTextFile(join(directory, "a"), "other\n");
      await git("add", "a");
    },
    refused: true,
  },
  {
    what: "other contents of what is not staged",
    staged: true,
    since: (directory) => Deno.writeTextFile(join(directory, "a"), "other\n"),
    refused: false,
  },
];

for (const { what, staged, since, refused } of SINCE) {
  Deno.test({
    name: `a commit of ${staged ? "what is staged" : "all"} that was agreed to: ${what} since`,
    ignore: Deno.build.os === "windows", // line ends
    async fn() {
      await using world = await World.make();
      const { directory, git, ctx } = await repositoryIn(world);
      await Deno.writeTextFile(join(directory, "a"), "second\n");
      await git("add", "a");
      const { head, branch, changes } = await ctx.git.at(directory).status("all");
      const taken = toCommit(changes, staged);
      const fact = {
        ...{ name: "api", branch: branch ?? "", head },
        unknown: null,
        changes_digest: await digestOf(ctx, directory, taken, staged),
      };
      await since(directory, git);
      const terms = { message: "Second", staged, onLine: () => {} };
      if (refused) {
        const error = await assertRejects(
          () => commitAgreed(ctx, directory, fact, terms),
          AmofError,
        );
        assertEquals(error.code, "confirmation_stale");
        assertEquals(await git("rev-parse", "HEAD"), head);
      } else assertEquals((await commitAgreed(ctx, directory, fact, terms)).commit === head, false);
    },
  });
}

const NOBODY_GUARDS: Agreed = {
  manifest: { repos: [{ name: "api" }] } as unknown as Agreed["manifest"],
  workspace: "/nowhere",
  guard: await makeGuard([]),
  allowed: [],
};

Deno.test("after an interrupt no further repository is begun", async () => {
  const ctx = { signal: AbortSignal.abort() } as unknown as ExecuteContext;
  const error = await assertRejects(() => nextDirectory(ctx, NOBODY_GUARDS, "api"), AmofError);
  assertEquals(error.code, "cancelled");
});

Deno.test("a guarded file that is renamed is held back, whatever its new name", async () => {
  await using world = await World.make();
  const { directory, git, ctx } = await repositoryIn(world);
  await git("mv", "a", "b");
  const { changes } = await ctx.git.at(directory).status("all");
  const held = await contentsOf(ctx, {
    ...{ repo: "api", directory, sent: null, shown: null, changes },
    guard: await makeGuard(["a"]),
    ...{ allowedTouches: [], allowedSecrets: [], room: 10 },
  });
  assertEquals("reason" in held && [held.reason, held.paths], ["no_touch", ["a"]]);
});

Deno.test("a push sends the commit that was agreed to, not the one that came since", async () => {
  await using world = await World.make();
  const { git, ctx } = await repositoryIn(world);
  await world.addRemote("api");
  await git("remote", "add", "origin", world.url("api"));
  const head = await git("rev-parse", "HEAD");
  await git("commit", "--quiet", "--allow-empty", "-m", "Since");
  const fact = {
    ...{ name: "api", branch: "work", remote: "origin", url: "", ahead: 1, head },
    ...{ new_branch: true, follows: true, commit_files: 0, changes_digest: null },
    ...{ confined: false, other_address: null },
  } as unknown as PushFact;
  const agreed = {
    ...NOBODY_GUARDS,
    manifest: { repos: [{ name: "api", path: "api" }] } as unknown as Agreed["manifest"],
    workspace: world.directory,
    state: null,
    message: null,
  };
  const row = await pushOne(ctx, agreed, fact);
  assertEquals([row.result, row.commit], ["pushed", head], row.detail);
  assertEquals(await git("ls-remote", "origin", "refs/heads/work"), `${head}\trefs/heads/work`);
});
