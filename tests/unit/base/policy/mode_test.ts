// Covers the order of the modes and what each safety needs (MODE-1, MODE-5).

import { assertEquals } from "@std/assert";
import { allows, isMode, modeRequired, MODES } from "../../../../src/base/policy/mode.ts";

Deno.test("allows() holds for a mode and all below it", () => {
  const pairs = MODES.flatMap((mode) =>
    MODES.filter((needed) => allows(mode, needed)).map((needed) => `${mode} ${needed}`)
  );
  assertEquals(pairs, [
    "ask ask",
    "plan ask",
    "plan plan",
    "execute ask",
    "execute plan",
    "execute execute",
  ]);
});

Deno.test("modeRequired() is the lowest mode in which a call does something", () => {
  assertEquals(
    (["read-only", "safe-write", "dangerous-write"] as const).map(modeRequired),
    ["ask", "plan", "execute"],
  );
});

Deno.test("isMode() knows the three modes and nothing else", () => {
  assertEquals(["ask", "plan", "execute", "Execute", "", "toString"].map(isMode), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
