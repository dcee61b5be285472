// What came between the preview of an update and the update itself is not gone over.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { updateOne } from "../../../../src/commands/ticket/update/one.ts";
import type { UpdateFact } from "../../../../src/commands/ticket/update/plan.ts";
import type { Site } from "../../../../src/commands/ticket/update/row.ts";
import { World } from "../../../support/world.ts";
import { repositoryIn } from "../../_support.ts";

interface Since {
  readonly what: string;
  readonly how?: "merge" | "rebase";
  readonly since: (
    git: (...args: string[]) => Promise<string>,
    directory: string,
  ) => Promise<unknown>;
  /** What the row says, and a piece of its detail. */
  readonly result: readonly [string, string];
}

const SINCE: readonly Since[] = [
  { what: "nothing", since: () => Promise.resolve(), result: ["updated", "1 commit of main"] },
  {
    what: "a commit",
    since: (git) => git("commit", "--quiet", "--allow-empty", "-m", "Since"),
    result: ["failed", "it changed"],
  },
  {
    what: "a push of its commits",
    how: "rebase",
    since: (git) => git("push", "--quiet", "--set-upstream", "origin", "work"),
    result: ["failed", "more of its commits were published"],
  },
  {
    what: "a push of its commits, which a merge leaves as they are",
    since: (git) => git("push", "--quiet", "--set-upstream", "origin", "work"),
    result: ["updated", "1 commit of main"],
  },
  {
    what: "work that was put away under its name",
    since: async (git, directory) => {
      await Deno.writeTextFile(join(directory, "a"), "mine\n");
      await git("stash", "push", "--quiet", "-m", "amof:T-1");
      await Deno.writeTextFile(join(directory, "a"), "more\n");
    },
    result: ["skipped", "earlier ones that are kept as amof:T-1"],
  },
];

/** A branch `work` with a commit of its own, whose base has news at the remote; and what an update is called with. */
async function behind(
  world: World,
  how: "merge" | "rebase",
  news: Readonly<Record<string, string>> = {},
) {
  const { directory, git, ctx } = await repositoryIn(world);
  await world.addRemote("api");
  await git("remote", "add", "origin", world.url("api"));
  for (const [path, text] of Object.entries(news)) {
    await Deno.writeTextFile(join(directory, path), text);
    await git("add", path);
  }
  await git("commit", "--quiet", "--allow-empty", "-m", "News");
  await git("push", "--quiet", "--force", "origin", "main");
  await git("switch", "--quiet", "-c", "work", "main^");
  await git("commit", "--quiet", "--allow-empty", "-m", "Mine");
  const head = await git("rev-parse", "HEAD");
  const repo = {
    ...{ name: "api", path: "api", branch: "main", enabled: true },
    url: world.url("api"),
  };
  const site = {
    ...{ repo, directory, kept: "amof:T-1", later: () => {} },
    place: {
      manifest: { ticketUpdate: "merge", repos: [repo] },
      workspace: { directory: world.directory },
      state: { tickets: {}, repos: [] },
    },
  } as unknown as Site;
  const fact: UpdateFact = {
    ...{ name: "api", branch: "work", base: "main", head, behind: 1, own: 1, published: 0 },
    ...{ remote_base: "origin/main", how, why: null, landed: null, aside: 0, apart: false },
  };
  const meant = { sources: null, asked: how, stash: true, ticket: "T-1" } as const;
  return { directory, git, update: (aside = 0) => updateOne(ctx, site, { ...fact, aside }, meant) };
}

for (const { what, how = "merge", since, result } of SINCE) {
  Deno.test(`a ${how} of a ticket's base: ${what} since it was shown`, async () => {
    await using world = await World.make();
    const { directory, git, update } = await behind(world, how);
    await since(git, directory);
    const [now, work] = [await git("rev-parse", "HEAD"), await git("diff")];
    const row = await update();
    assertEquals(row.result, result[0], row.detail);
    assertStringIncludes(row.detail, result[1]);
    if (row.result === "updated") return;
    assertEquals([await git("rev-parse", "HEAD"), await git("diff")], [now, work]);
  });
}

Deno.test("a merge of a ticket's base that git cannot do gives back the work that was put away", async () => {
  await using world = await World.make();
  const { directory, git, update } = await behind(world, "merge", { "x.bin": "x\n" });
  await Deno.writeTextFile(join(directory, ".git", "info", "attributes"), "*.bin filter=none\n");
  await git("config", "filter.none.smudge", "false");
  await git("config", "filter.none.required", "true");
  await Deno.writeTextFile(join(directory, "a"), "mine\n");
  const [head, work] = [await git("rev-parse", "HEAD"), await git("diff")];
  const row = await update(1);
  assertEquals(row.result, "failed", row.detail);
  assertEquals([await git("rev-parse", "HEAD"), await git("diff")], [head, work], row.detail);
  assertEquals(await git("stash", "list"), "");
});
