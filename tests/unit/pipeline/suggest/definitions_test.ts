/**
 * Every action has a tool, a priority and few words.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { type Definition, DEFINITIONS } from "../../../../src/pipeline/suggest/definitions.ts";
import { WORDS } from "../../../../src/pipeline/suggest/offer.ts";
import { TOOLS } from "../../../support/tools.ts";

/** Words for actions of other ids. */
const VARIANTS = [
  "complete_it",
  "refresh",
  "stream_logs",
  "show_runs",
  "commit_and_push",
  "push_base",
  "commit_and_push_base",
  "end_deleted",
  "take_base",
  "update_on",
  "update_back",
  "changes_back",
  "repair_workspace",
  "ask_again",
  "confirm_name",
];

for (const [id, definition] of Object.entries<Definition>(DEFINITIONS)) {
  Deno.test(`DEFINITIONS describes ${id} as a known tool`, () => {
    assert(TOOLS.has(definition.tool), `"${definition.tool}" is no tool`);
    assert(definition.priority >= 1 && definition.priority <= 5);
  });
}

Deno.test("WORDS has for every action, and for nothing else, few words", () => {
  const said = [...Object.keys(DEFINITIONS), ...VARIANTS];
  assertEquals(Object.keys(WORDS).toSorted(), said.toSorted());
  for (const [id, [label, description]] of Object.entries(WORDS)) {
    assert(label.length <= 30, id);
    assert(/^[A-Z][^.]*\.$/.test(description), description);
  }
});
