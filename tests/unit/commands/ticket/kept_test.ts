// The steps by which work is put away and brought back, between which somebody writes: nothing of theirs is touched.

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import {
  bringBack,
  clearChanges,
  keepChanges,
} from "../../../../src/commands/ticket/steps/kept.ts";
import type { ExecuteContext } from "../../../../src/contract/mod.ts";
import { AmofError } from "../../../../src/base/error.ts";
import { Git } from "../../../../src/git/mod.ts";
import { NothingTouched, operationTable } from "../../../../src/runs/steps/mod.ts";
import { World } from "../../../support/world.ts";
import { hermetic, rememberingReporter } from "../../_support.ts";

const OPERATIONS = operationTable([keepChanges, clearChanges, bringBack]);

/** A clone with a change that was kept, and the steps that go on from there. */
async function kept(world: World) {
  const directory = join(world.directory, "api");
  await Deno.mkdir(directory);
  await world.git(directory, "init", "--quiet", "--initial-branch=main");
  await Deno.writeTextFile(join(directory, "a"), "committed\n");
  await world.git(directory, "add", ".");
  await world.git(directory, "commit", "--quiet", "-m", "Begin");
  await Deno.writeTextFile(join(directory, "a"), "changed\n");
  const system = hermetic(world);
  const ctx = {
    ...{ system, git: new Git(system), report: rememberingReporter() },
    signal: new AbortController().signal,
  } as unknown as ExecuteContext;
  const args = { repo: "api", directory, branch: "main", name: "amof:T-1", id: "0".repeat(16) };
  const act = async (name: string, more: Readonly<Record<string, string>> = {}) =>
    await OPERATIONS.get(name)?.act(ctx, { ...args, ...more });
  const undo = async (name: string, more: Readonly<Record<string, string>> = {}) =>
    await OPERATIONS.get(name)?.undo?.(ctx, { ...args, ...more });
  await act("keep_changes");
  const write = (text: string) => Deno.writeTextFile(join(directory, "a"), text);
  const read = () => Deno.readTextFile(join(directory, "a"));
  const stash = await world.git(directory, "rev-parse", "stash@{0}");
  return { directory, act, undo, write, read, stash };
}

const ignore = Deno.build.os === "windows"; // modes of files

Deno.test({
  name: "what somebody wrote since work was kept stays, and is told as written meanwhile",
  ignore,
  async fn() {
    await using world = await World.make();
    const { act, write, read } = await kept(world);
    await write("mine\n");
    const error = await assertRejects(() => act("clear_changes"), NothingTouched);
    assertStringIncludes(error.message, "a changed while it was put away");
    assertEquals([error.code, error.hint], [
      "would_lose_work",
      "Repeat when nothing else writes there",
    ]);
    assertEquals(await read(), "mine\n");
  },
});

Deno.test({
  name: "what somebody wrote where kept work comes back stays, and a way is told",
  ignore,
  async fn() {
    await using world = await World.make();
    const { act, write, read, stash } = await kept(world);
    await act("clear_changes");
    assertEquals(await read(), "committed\n");
    await write("mine\n");
    const error = await assertRejects(() => act("bring_back", { stash }), NothingTouched);
    assertStringIncludes(error.message, "would be overwritten");
    assertStringIncludes(String(error.hint), "stash push --all -- a");
    assertEquals(await read(), "mine\n");
    await write("committed\n");
    await act("bring_back", { stash });
    assertEquals(await read(), "changed\n");
  },
});

Deno.test({
  name: "work is put back, or taken out again, only on the branch that it was kept on",
  ignore,
  async fn() {
    await using world = await World.make();
    const { directory, act, undo, read, stash } = await kept(world);
    const go = (branch: string) => world.git(directory, "switch", "--quiet", branch);
    await act("clear_changes");
    await world.git(directory, "branch", "theirs");
    await go("theirs");
    const before = await assertRejects(() => undo("clear_changes"), AmofError);
    assertStringIncludes(before.message, "it is on theirs instead of main");
    assertEquals([before.code, await read()], ["would_lose_work", "committed\n"]);
    await go("main");
    await act("bring_back", { stash });
    await go("theirs");
    await assertRejects(() => undo("bring_back", { stash }), AmofError);
    assertEquals(await read(), "changed\n");
    await go("main");
    await undo("bring_back", { stash });
    assertEquals(await read(), "committed\n");
    await undo("clear_changes");
    assertEquals(await read(), "changed\n");
  },
});
