/**
 * What is suggested after an answer about a change set (NEXT-5, row 23).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { suggest } from "../../../../../src/pipeline/suggest/mod.ts";
import { situation, testCases } from "../_support.ts";
import { AFTER_CHANGE } from "../cases/after_change.ts";

testCases(AFTER_CHANGE);

Deno.test("suggest() names the ticket of a change set, and what it has to be told", () => {
  const argsOf = (state: string) => {
    const data = { change_set: { ticket_id: "PROJ-1", state }, repos: [] };
    return suggest(situation({ tool: "amof_pr_status", data }))[0]?.args;
  };
  const of = { ecosystem: "demo", ticket_id: "PROJ-1" };
  assertEquals(argsOf("ready"), of);
  assertEquals(argsOf("partly_landed"), { ...of, resume: true });
  assertEquals(argsOf("landed"), { ...of, cleanup: true });
  for (const state of ["none", "landed"]) {
    const change_set = { ticket_id: "PROJ-1", state, known: false };
    const offers = suggest(situation({ tool: "amof_pr_status", data: { change_set, repos: [] } }));
    assertEquals(offers[0]?.tool, "amof_get_ecosystem_status");
  }
});
