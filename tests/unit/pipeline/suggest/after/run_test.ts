/**
 * What is suggested after an answer about a run (NEXT-5, row 7).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { suggest } from "../../../../../src/pipeline/suggest/mod.ts";
import { ids, runAnswer, situation, testCases } from "../_support.ts";
import { AFTER_RUN } from "../cases/after_run.ts";

testCases(AFTER_RUN);

Deno.test("suggest() offers no sync after an install that put clones at the commits of a lock", () => {
  const offered = (status: string, exit_code: number, result: object) => {
    const run = runAnswer("amof_get_run_status", status, "install");
    const data = { ...run.data, exit_code, result };
    return ids(suggest(situation({ ...run, data })));
  };
  assertEquals(offered("success", 0, {}).includes("sync_ecosystem"), true);
  assertEquals(offered("success", 0, { locked: [] }).includes("sync_ecosystem"), false);
  assertEquals(offered("failed", 5, {}).includes("sync_ecosystem"), true);
  assertEquals(offered("failed", 5, { locked: [] })[0], "get_ecosystem_status");
});
