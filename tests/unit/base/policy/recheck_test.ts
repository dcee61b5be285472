// Covers recheck(): what somebody agreed to is what happens, or nothing does.

import { assertEquals, assertThrows } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { recheck } from "../../../../src/base/policy/changes.ts";

Deno.test("recheck() lets the same through", () => {
  recheck({ fingerprint: "a", facts: { n: 1 } }, { fingerprint: "a", facts: { n: 2 } });
});

Deno.test("recheck() refuses anything else, with what changed", () => {
  const error = assertThrows(
    () => recheck({ fingerprint: "a", facts: { n: 1 } }, { fingerprint: "b", facts: { n: 2 } }),
    AmofError,
  );
  assertEquals(error.code, "confirmation_stale");
  assertEquals(error.details["changed"], [{ path: "n", before: 1, after: 2 }]);
});
