// Covers what undo brings back of a workspace's state, and what it leaves as it is.

import { assertEquals } from "@std/assert";
import { ticketsStaying } from "../../../../src/commands/undo/facts.ts";
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

const MADE = { created_at: "x", ecosystem: "demo", repos: {} };
const T1 = { tickets: { "T-1": MADE } };
const NONE = { tickets: {} };

for (
  const [what, before, after, said] of [
    ["an end", T1, NONE, ["T-1: ended; take it up again: amof ticket start T-1 --repo api"]],
    ["a start", NONE, T1, ["T-1: as it is, because web stays"]],
    ["what touched no ticket", T1, T1, []],
    ["what had no workspace", null, null, []],
  ] as const
) {
  Deno.test(`ticketsStaying() tells what stays where ${what} goes back in one repository`, () => {
    assertEquals(ticketsStaying({ before, after }, { back: ["api"], left_out: ["web"] }), [
      ...said,
    ]);
  });
}
