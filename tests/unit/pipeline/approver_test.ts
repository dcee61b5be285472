// Covers judgeTyped(): only the whole name agrees where one has to be typed.

import { assertEquals } from "@std/assert";
import { judgeTyped } from "../../../src/pipeline/consent/approver.ts";

const TYPED = { what: "ecosystem name", value: "demo" };

for (
  const [given, decision] of [
    ["demo", "accepted"],
    [" demo\n", "accepted"],
    ["", "wrong_name"],
    ["de", "wrong_name"],
    ["demos", "wrong_name"],
    ["Demo", "wrong_name"],
  ] as const
) {
  Deno.test(`judgeTyped() answers ${decision} to ${JSON.stringify(given)} for demo`, () => {
    assertEquals(judgeTyped({ typed: TYPED }, given), decision);
  });
}

Deno.test("judgeTyped() accepts whatever is typed where no name is asked for", () => {
  assertEquals(judgeTyped({ typed: null }, ""), "accepted");
});
