// What becomes of a change that the service did not take: who may repeat it, and who has to look first.

import { assertEquals, assertThrows } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { requireDone } from "../../../../src/apps/stocktrim/declare.ts";
import { serviceError } from "../../../../src/apps/stocktrim/client/transport.ts";

const READER = "amof stocktrim purchase-order get PO-1";
const LOOK = `It may be done all the same, so look before you repeat it: ${READER}`;

/** What the service answered, whether it asks to wait, and the hint. */
const TABLE: readonly (readonly [status: number, retryAfterMs: number | null, hint: string])[] = [
  [429, 2_000, "Repeat after 2 s: that is what StockTrim asks for"],
  [500, null, LOOK],
  [502, null, LOOK],
  [503, 2_000, LOOK],
];

Deno.test("a service that broke while it worked is looked at before anything is repeated", () => {
  for (const [status, wait, hint] of TABLE) {
    const error = serviceError("create it", { status, body: "" }, [], wait);
    const thrown = assertThrows(() => requireDone({ state: "failed", error }, READER), AmofError);
    assertEquals([thrown.code, thrown.hint], ["stocktrim_failed", hint]);
  }
  const refused = serviceError("create it", { status: 422, body: "" }, []);
  assertEquals(
    assertThrows(() => requireDone({ state: "failed", error: refused }, READER), AmofError),
    refused,
  );
});
