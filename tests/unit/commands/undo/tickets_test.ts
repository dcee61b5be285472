// Covers what undo brings back of a workspace's state, and what it leaves as it is.

import { assertEquals } from "@std/assert";
import { sameTickets, ticketsIn, writeTickets } from "../../../../src/commands/undo/record.ts";
import { freshState, loadState, saveState } from "../../../../src/workspace/mod.ts";
import { memoryWorld } from "../../../support/memory.ts";

Deno.test("writeTickets() brings tickets back, and leaves what pushes noted since", async () => {
  const { system } = memoryWorld();
  const fresh = freshState(system, "demo", "workspace/demo");
  const ticket = { created_at: fresh.created_at, ecosystem: "demo", repos: { api: "feature/T-1" } };
  await saveState(system, "/w", { ...fresh, active_ticket: "T-1", tickets: { "T-1": ticket } });
  const before = await ticketsIn(system, "/w");
  const pushed = { branch: "main", commit: "abc", commit_full: "abcdef", pushed_at: "x" };
  await saveState(system, "/w", { ...fresh, repos: [{ name: "api", last_push: pushed }] } as never);
  assertEquals(sameTickets(before, await ticketsIn(system, "/w")), false);
  if (before === null) throw new Error("no tickets");
  await writeTickets(system, "/w", before);
  assertEquals(sameTickets(before, await ticketsIn(system, "/w")), true);
  const state = await loadState(system, "/w");
  assertEquals([state?.active_ticket, state?.repos.map(({ name }) => name as string)], ["T-1", [
    "api",
  ]]);
});

Deno.test("writeTickets() makes no state where there is none", async () => {
  const { system, files } = memoryWorld();
  assertEquals(await ticketsIn(system, "/w"), null);
  await writeTickets(system, "/w", { active_ticket: null });
  assertEquals([...files.keys()], []);
});
