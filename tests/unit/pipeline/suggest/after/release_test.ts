/**
 * What is suggested after an answer about a release (NEXT-5, rows 8 to 11).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { first, release, testCases } from "../_support.ts";
import { AFTER_RELEASE } from "../cases/after_release.ts";

testCases(AFTER_RELEASE);

Deno.test("suggest() says why the checks of a release come first", () => {
  for (
    const [data, condition] of [
      [{ dirty: true, version_drift: true }, "release.dirty"],
      [{ version_drift: true }, "release.version_drift"],
      [{ ready: { stage: "beta", ok: false } }, undefined],
    ] as const
  ) {
    const action = first(release({ stage: "alpha", ...data }));
    assertEquals([action.id, action.condition], ["release_validate", condition]);
  }
});

for (
  const [what, tool, data] of [
    ["there is no remote", "amof_release_status", { can_push: false }],
    ["the checks left the remote out", "amof_release_validate", { ok: true, push: false }],
    ["the last one was not to be pushed", "amof_release_bump", {
      pushed: false,
      push_error: null,
      ready: { ok: true },
    }],
  ] as const
) {
  Deno.test(`suggest() offers a promotion that stays here where ${what}`, () => {
    const stays = first(release({ stage: "beta", tag: "v1.0.0-beta.1", ...data }, tool));
    assertEquals(stays.args, { target: "rc", push: false });
  });
}

Deno.test("suggest() offers a promotion that is pushed where a push failed", () => {
  const made = { stage: "beta", tag: "v1.0.0-beta.1", ready: { ok: true } };
  const tried = { ...made, pushed: false, push_error: "refused" };
  assertEquals(first(release(tried, "amof_release_bump")).args, { target: "rc" });
});
