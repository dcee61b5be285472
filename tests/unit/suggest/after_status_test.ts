/**
 * What is suggested after a status (NEXT-5, row 6).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { first, repo, status, testCases } from "./_support.ts";
import { AFTER_STATUS } from "./cases/after_status.ts";

testCases(AFTER_STATUS);

Deno.test("suggest() tells a push of dirty repositories to commit", () => {
  const action = first(status({}, repo({ status: "DIRTY", dirty: true })));
  assertEquals(action.label, "Commit & push");
  assertEquals(action.args, { ecosystem: "demo", commit: true });
  assertEquals(action.condition, "status.has_dirty");
});
