// What becomes of a deletion of which no answer comes in time: nobody knows, and it is not sent again (STOCKTRIM-9).

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { Fields } from "../../../../src/base/object.ts";
import type { ExecuteContext, Mutation } from "../../../../src/contract/mod.ts";
import { AmofError } from "../../../../src/base/error.ts";
import { findCommand } from "../../../support/loaded.ts";
import type { HttpRequest, HttpResult } from "../../../../src/base/system/mod.ts";
import { hastyWorld } from "../../../support/stocktrim.ts";

/** What the preview of each deletion found, and the command that tells how it stands. */
const DELETIONS: readonly (readonly [tool: string, facts: Fields, reader: string])[] = [
  [
    "stocktrim_product_delete",
    { product: { product_id: "33303389", code: "SKU-002" } },
    "amof stocktrim product get 33303389",
  ],
  [
    "stocktrim_supplier_delete",
    { key: "BEAN", supplier: { code: "BEAN" } },
    "amof stocktrim supplier get BEAN",
  ],
  [
    "stocktrim_purchase_order_delete",
    { key: "PO-5", purchase_order: { reference: "PO-5" } },
    "amof stocktrim purchase-order get PO-5",
  ],
  [
    "stocktrim_sales_orders_delete",
    { product_id: "33303389", code: "SKU-002", totals: { orders: 1 } },
    "amof stocktrim sales-order list --product 33303389",
  ],
];

/** Carries a deletion out at a service that answers so; with the requests that were sent. */
async function deleted(
  tool: string,
  facts: Fields,
  answer: (request: HttpRequest) => HttpResult,
): Promise<{ failure: AmofError; sent: string[] }> {
  const sent: string[] = [];
  const { system } = hastyWorld({
    STOCKTRIM_API_AUTH_ID: "id",
    STOCKTRIM_API_AUTH_SIGNATURE: "signature",
  });
  const http = {
    ...system.http,
    send(request: HttpRequest) {
      sent.push(request.method);
      return Promise.resolve(answer(request));
    },
  };
  const { signal } = new AbortController();
  const ctx = { system: { ...system, http }, signal } as unknown as ExecuteContext;
  const command = findCommand(tool) as Mutation;
  const failure = await assertRejects(() => command.execute(ctx, {}, facts), AmofError);
  return { failure, sent };
}

for (const [tool, facts, reader] of DELETIONS) {
  Deno.test(`${tool} does not know what became of a request that timed out, and sends no other`, async () => {
    const { failure, sent } = await deleted(
      tool,
      facts,
      () => ({ answered: false, failure: "timed_out", reason: "" }),
    );
    assertEquals(failure.code, "stocktrim_outcome_unknown");
    assertStringIncludes(failure.hint, reader);
    assertEquals(sent, ["DELETE"]);
  });

  Deno.test(`${tool} does not say it is done where nobody can look whether it is gone`, async () => {
    const { failure, sent } = await deleted(
      tool,
      facts,
      ({ method }) =>
        method === "DELETE"
          ? { answered: true, status: 204, headers: {}, body: "", cut: null }
          : { answered: true, status: 400, headers: {}, body: "", cut: null },
    );
    assertEquals(failure.code, "stocktrim_outcome_unknown");
    assertStringIncludes(failure.hint, reader);
    assertEquals(sent.filter((method) => method === "DELETE").length, 1);
  });
}

Deno.test("waiting for a forecast ends when the caller goes, and what was started is not said to have failed", async () => {
  const running = { isProcessing: true, percentageComplete: 40, statusMessage: "At work" };
  for (const end of ["aborted", "unknown"] as const) {
    const { system } = hastyWorld({
      STOCKTRIM_API_AUTH_ID: "id",
      STOCKTRIM_API_AUTH_SIGNATURE: "signature",
    });
    const abort = new AbortController();
    const sent: string[] = [];
    const told: string[] = [];
    const http = {
      ...system.http,
      send({ method }: HttpRequest): Promise<HttpResult> {
        sent.push(method);
        const status = method === "POST" ? 201 : end === "unknown" ? 400 : 200;
        const body = method === "POST" ? "" : JSON.stringify(running);
        return Promise.resolve({ answered: true, status, headers: {}, body, cut: null });
      },
    };
    const report = {
      log() {},
      progress(done: number, _total: number, message: string) {
        told.push(`${done} ${message}`);
        if (told.length === 2) abort.abort();
      },
    };
    const ctx = {
      system: { ...system, http },
      signal: abort.signal,
      report,
    } as unknown as ExecuteContext;
    const command = findCommand("stocktrim_forecast_run");
    const { data } = await (command as Mutation).execute(ctx, { wait_seconds: 40 }, {});
    assertEquals([data["started"], data["finished"]], [true, false]);
    // One request starts it, and nobody asks on once the caller has gone.
    assertEquals(sent, end === "aborted" ? ["POST", "GET", "GET"] : ["POST", "GET"]);
    if (end === "aborted") assertEquals(told, Array(2).fill("40 forecast: At work"));
  }
});
