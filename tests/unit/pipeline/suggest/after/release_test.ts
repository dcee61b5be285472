/**
 * What is suggested after an answer about a release (NEXT-5, rows 8 to 11).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { suggest } from "../../../../../src/pipeline/suggest/mod.ts";
import { first, ids, release, situation, testCases } from "../_support.ts";
import { AFTER_RELEASE } from "../cases/after_release.ts";

testCases(AFTER_RELEASE);

Deno.test("suggest() tells a push before a release to commit", () => {
  const action = first(release({ stage: "alpha", dirty: true }));
  assertEquals(action.label, "Commit/push first");
  assertEquals(action.args, { ecosystem: "demo", commit: true });
  assertEquals(action.condition, "release.dirty");
});

Deno.test("suggest() offers a dirty release no push without an ecosystem", () => {
  const dirty = situation(release({ stage: "stable", dirty: true }));
  assertEquals(ids(suggest({ ...dirty, ecosystem: null })), ["release_log"]);
});
