// Covers the requests to StockTrim: reads are repeated where that may help, changes never, one deadline holds for all
// of a call, failures say what to do, and no failure holds a credential.

import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { readOnly, ReadOnlyViolation } from "../../../../src/base/system/read_only.ts";
import type { HttpFailure, HttpRequest, HttpResult } from "../../../../src/base/system/mod.ts";
import { openStockTrim, type StockTrim } from "../../../../src/apps/stocktrim/client/client.ts";
import { readAccount } from "../../../../src/apps/stocktrim/client/account.ts";
import { type ChangeOutcome, Transport } from "../../../../src/apps/stocktrim/client/transport.ts";
import { memoryWorld } from "../../../support/memory.ts";
import { assertNoSecrets, fakeStockTrim, hastyWorld } from "../../../support/stocktrim.ts";

const SIGNAL = new AbortController().signal;
const ENV = {
  STOCKTRIM_API_AUTH_ID: "id-5fd0",
  STOCKTRIM_API_AUTH_SIGNATURE: "signature-91ce",
  STOCKTRIM_BASE_URL: "https://stock.example/base/",
};

function ok(body: unknown, status = 200): HttpResult {
  return { answered: true, status, headers: {}, body: JSON.stringify(body), cut: null };
}

function lost(failure: HttpFailure): HttpResult {
  return { answered: false, failure, reason: "" };
}

/** A service that answers these, one after the other, and what it was sent. */
function scripted(answers: readonly HttpResult[], budgetMs?: number) {
  const sent: HttpRequest[] = [];
  const world = memoryWorld({
    env: ENV,
    http(request) {
      sent.push(request);
      return answers[sent.length - 1] ?? ok([], 200);
    },
  });
  return {
    service: openStockTrim({ system: world.system, signal: SIGNAL }, budgetMs),
    sent,
    world,
  };
}

async function failure(work: Promise<unknown>): Promise<AmofError> {
  return await assertRejects(() => work, AmofError);
}

function errorOf(outcome: ChangeOutcome<unknown>): AmofError {
  assert(outcome.state !== "done", outcome.state);
  return outcome.error;
}

/** Every operation that changes something. */
const CHANGES: Readonly<Record<string, (service: StockTrim) => Promise<ChangeOutcome<unknown>>>> = {
  "products.save": ({ products }) => products.save({ productId: "P" }),
  "products.delete": ({ products }) => products.delete("P"),
  "suppliers.save": ({ suppliers }) => suppliers.save({ supplierCode: "S" }),
  "suppliers.delete": ({ suppliers }) => suppliers.delete("S"),
  "locations.create": ({ locations }) =>
    locations.create({ locationCode: "L", locationName: "Place" }),
  "inventory.set": ({ inventory }) => inventory.set({ productId: "P", stockOnHand: 1 }),
  "purchaseOrders.create": ({ purchaseOrders }) =>
    purchaseOrders.create({ supplierCode: "S", lines: [{ productId: "P", quantity: 1 }] }),
  "purchaseOrders.delete": ({ purchaseOrders }) => purchaseOrders.delete("PO"),
  "purchaseOrders.generate": ({ purchaseOrders }) => purchaseOrders.generate({}),
  "salesOrders.create": ({ salesOrders }) =>
    salesOrders.create({ productId: "P", orderDate: "2026-01-01", quantity: 1 }),
  "salesOrders.deleteOfProduct": ({ salesOrders }) => salesOrders.deleteOfProduct("P"),
  "forecast.run": ({ forecast }) => forecast.run(),
};

/** Every operation that only asks. */
const READS: Readonly<Record<string, (service: StockTrim) => Promise<unknown>>> = {
  "products.get": ({ products }) => products.get("P"),
  "products.page": ({ products }) => products.page(0),
  "customers.get": ({ customers }) => customers.get("C"),
  "customers.list": ({ customers }) => customers.list(),
  "suppliers.get": ({ suppliers }) => suppliers.get("S"),
  "suppliers.list": ({ suppliers }) => suppliers.list(),
  "locations.get": ({ locations }) => locations.get("L"),
  "locations.list": ({ locations }) => locations.list(),
  "purchaseOrders.get": ({ purchaseOrders }) => purchaseOrders.get("PO"),
  "purchaseOrders.page": ({ purchaseOrders }) => purchaseOrders.page({ page: 0 }),
  "salesOrders.list": ({ salesOrders }) => salesOrders.list("P"),
  "orderPlan.page": ({ orderPlan }) => orderPlan.page({}, 0, 10),
  "forecast.status": ({ forecast }) => forecast.status(),
};

Deno.test("the operations are all that the service has", () => {
  const { service } = scripted([]);
  const names = Object.entries(service).flatMap(([noun, operations]) =>
    Object.keys(operations).map((verb) => `${noun}.${verb}`)
  );
  assertEquals([...Object.keys(CHANGES), ...Object.keys(READS)].sort(), names.sort());
});

for (const [name, change] of Object.entries(CHANGES)) {
  Deno.test(`${name} is sent once, whatever comes of it`, async () => {
    const ends: readonly (readonly [HttpResult, "failed" | "unknown", string])[] = [
      ...[429, 500, 503].map((status) => [ok({}, status), "failed", "stocktrim_failed"] as const),
      ...[502, 504].map((status) =>
        [ok({}, status), "unknown", "stocktrim_outcome_unknown"] as const
      ),
      ...[400, 404, 409, 415, 422].map((status) =>
        [ok({}, status), "failed", "stocktrim_refused"] as const
      ),
      ...[401, 403].map((status) => [ok({}, status), "failed", "stocktrim_auth_failed"] as const),
      [lost("not_connected"), "failed", "stocktrim_failed"],
      [lost("not_allowed"), "failed", "stocktrim_failed"],
      [lost("interrupted"), "unknown", "stocktrim_outcome_unknown"],
      [lost("timed_out"), "unknown", "stocktrim_outcome_unknown"],
      [lost("cancelled"), "unknown", "stocktrim_outcome_unknown"],
    ];
    for (const [answer, state, code] of ends) {
      const { service, sent } = scripted([answer]);
      const outcome = await change(service);
      const told = [outcome.state, errorOf(outcome).code, sent.length];
      assertEquals(told, [state, code, 1], JSON.stringify(answer));
      assertEquals(sent[0]?.access, "write");
    }
  });

  Deno.test(`${name} is done with any good status, also without a body`, async () => {
    for (const [status, body] of [[200, ""], [201, ""], [204, ""], [200, "<html>"]] as const) {
      const answer: HttpResult = { answered: true, status, headers: {}, body, cut: null };
      const { service } = scripted([answer]);
      assertEquals((await change(service)).state, "done", `${status} ${body}`);
    }
    const cut: HttpResult = {
      answered: true,
      status: 200,
      headers: {},
      body: "{",
      cut: "timed_out",
    };
    assertEquals((await change(scripted([cut]).service)).state, "done");
  });

  Deno.test(`${name} is refused by a read-only world`, async () => {
    const { sent, world } = scripted([]);
    const system = readOnly(world.system, () => false);
    await assertRejects(() => change(openStockTrim({ system, signal: SIGNAL })), ReadOnlyViolation);
    assertEquals(sent, []);
  });
}

for (const [name, ask] of Object.entries(READS)) {
  Deno.test(`${name} goes through in a read-only world, and is not repeated for what stays`, async () => {
    for (const status of [400, 401, 403, 415, 500]) {
      const { sent, world } = scripted([ok({}, status)]);
      const system = readOnly(world.system, () => false);
      const error = await failure(ask(openStockTrim({ system, signal: SIGNAL })));
      assertStringIncludes(error.code, "stocktrim_");
      assertEquals(sent.map(({ access }) => access), ["read"], `${status}`);
    }
  });
}

Deno.test("a read is tried again where the failure may pass, three times and longer each time", async () => {
  const passing = [429, 502, 503, 504].map((status) => ok({}, status));
  const breaking = (["not_connected", "interrupted", "timed_out"] as const).map(lost);
  const halved: HttpResult = { ...ok([]), answered: true, cut: "interrupted" } as HttpResult;
  for (const answer of [...passing, ...breaking, halved]) {
    const { service, sent } = scripted([answer, answer, answer, ok([{ productId: "P" }])]);
    assertEquals((await service.products.get("P"))?.productId, "P", JSON.stringify(answer));
    assertEquals(sent.length, 4);
    const never = scripted([answer, answer, answer, answer]);
    const { code } = await failure(never.service.products.get("P"));
    assert(["stocktrim_failed", "timeout"].includes(code), code);
    assertEquals(never.sent.length, 4);
  }
});

Deno.test("a POST that only asks is not repeated either", async () => {
  const { service, sent } = scripted([ok({}, 503)]);
  await failure(service.orderPlan.page({}, 0, 10));
  assertEquals(sent.map(({ method, access }) => [method, access]), [["POST", "read"]]);
});

Deno.test("the waits grow and are left to chance by half", async () => {
  const env = { ...ENV };
  for (let turn = 0; turn < 20; turn++) {
    const { system, waits } = hastyWorld(env);
    const http = { forgo() {}, send: () => Promise.resolve(ok({}, 503)) };
    await failure(
      openStockTrim({ system: { ...system, http }, signal: SIGNAL }).products.get("P"),
    );
    assertEquals(waits.length, 3);
    for (const [index, most] of [500, 1_500, 4_000].entries()) {
      const wait = waits[index] ?? 0;
      assert(wait >= most / 2 && wait <= most, `${wait} of ${most}`);
    }
  }
});

Deno.test("Retry-After is kept to, in seconds and as a date, and told where it is too long", async () => {
  const asked = (status: number, after: string): HttpResult => ({
    ...ok({}, status),
    answered: true,
    headers: { "retry-after": after },
  } as HttpResult);
  for (const [after, wait] of [["7", 7_000], ["0", 0]] as const) {
    const { system, waits } = hastyWorld(ENV);
    const answers = [asked(429, after), ok([])];
    const http = { forgo() {}, send: () => Promise.resolve(answers.shift() ?? ok([])) };
    await openStockTrim({ system: { ...system, http }, signal: SIGNAL }).products.get("P");
    assertEquals(waits, [wait]);
  }
  const { service, world, sent } = scripted([
    asked(503, new Date(Date.UTC(2026, 0, 2, 3, 4, 15)).toUTCString()),
    ok([]),
  ]);
  await service.products.get("P");
  assertEquals([sent.length, world.system.clock.now()], [2, Date.UTC(2026, 0, 2, 3, 4, 15)]);

  const long = scripted([asked(429, "120")]);
  const error = await failure(long.service.products.get("P"));
  assertEquals([error.code, error.details["retry_after_s"], long.sent.length], [
    "stocktrim_failed",
    120,
    1,
  ]);
  assertStringIncludes(error.hint, "Repeat after 120 s");
});

Deno.test("all requests of a call share one deadline", async () => {
  const { service, sent, world } = scripted([ok([]), ok([])], 10_000);
  await service.products.get("P");
  world.advance(4_000);
  await service.products.get("P");
  assertEquals(sent.map(({ timeoutMs }) => timeoutMs), [10_000, 6_000]);
  world.advance(6_000);
  assertEquals((await failure(service.products.get("P"))).code, "timeout");
  assertEquals(sent.length, 2, "nothing is sent when the time is up");
});

Deno.test("a change is not begun without time for it, and then nothing was changed", async () => {
  const { service, sent, world } = scripted([], 10_000);
  world.advance(8_500);
  const outcome = await service.products.delete("P");
  assertEquals([outcome.state, errorOf(outcome).code, sent.length], ["failed", "timeout", 0]);
  assertStringIncludes(errorOf(outcome).hint, "Nothing was changed");
});

Deno.test("a call that is cancelled sends nothing any more", async () => {
  const { system } = memoryWorld({ env: ENV });
  const service = openStockTrim({ system, signal: AbortSignal.abort() });
  assertEquals((await failure(service.products.get("P"))).code, "cancelled");
  const outcome = await service.products.delete("P");
  assertEquals([outcome.state, errorOf(outcome).code], ["failed", "cancelled"]);
});

Deno.test("a read that is cancelled while it waits is not repeated", async () => {
  const control = new AbortController();
  const { system } = hastyWorld(ENV);
  let sent = 0;
  const http = { forgo() {}, send: () => Promise.resolve((sent++, ok({}, 503))) };
  const clock = {
    ...system.clock,
    sleep: () => Promise.resolve(control.abort()),
  };
  const service = openStockTrim({ system: { ...system, http, clock }, signal: control.signal });
  assertEquals((await failure(service.products.get("P"))).code, "cancelled");
  assertEquals(sent, 1);
});

Deno.test("a DELETE without a filter is not sent, whoever asks for it", async () => {
  const { world, sent } = scripted([]);
  const transport = new Transport(
    { system: world.system, signal: SIGNAL },
    readAccount(world.system.env),
    10_000,
  );
  const filters: readonly Readonly<Record<string, string | undefined>>[] = [
    {},
    { productId: "" },
    { productId: "  " },
    { productId: undefined },
    { fromDate: "2026-01-01", toDate: "" },
  ];
  for (const query of filters) {
    const operation = { what: "delete", method: "DELETE", path: "/api/Products", query } as const;
    await assertRejects(
      () => transport.change(operation),
      TypeError,
      "has no filter",
    );
  }
  assertEquals(sent, []);
});

Deno.test("a failure says what was tried, in the words of the service, cleaned and short", async () => {
  const html =
    "<!DOCTYPE html><html><head><title>Runtime Error</title></head><body>…</body></html>";
  const cases: readonly (readonly [number, string, string])[] = [
    [
      400,
      '{"title":"Validation failed","detail":"cost\\u001b[31m must be positive\\n\\nERROR: forged"}',
      'Cannot look up product "P": StockTrim refused it (400): Validation failed: cost must be positive ERROR: forged',
    ],
    [
      422,
      '{"title":"Invalid","errors":{"productId":["is required","is short"]}}',
      'Cannot look up product "P": StockTrim refused it (422): Invalid: productId: is required is short',
    ],
    [
      415,
      "Unsupported Media Type",
      'Cannot look up product "P": StockTrim refused it (415): Unsupported Media Type',
    ],
    [
      500,
      html,
      'Cannot look up product "P": StockTrim failed (500): a page titled "Runtime Error"',
    ],
    [500, "", 'Cannot look up product "P": StockTrim failed (500)'],
    [
      301,
      "",
      'Cannot look up product "P": StockTrim answered with a redirect (301), which is not followed',
    ],
    [401, "", 'Cannot look up product "P": StockTrim does not accept the credentials'],
    [403, "", 'Cannot look up product "P": StockTrim does not allow it to this account'],
  ];
  for (const [status, body, message] of cases) {
    const { service } = scripted([{ answered: true, status, headers: {}, body, cut: null }]);
    const error = await failure(service.products.get("P"));
    assertEquals([error.message, error.details["status"]], [message, status]);
    assert(error.hint !== "", message);
  }
  const { service } = scripted([
    { answered: true, status: 500, headers: {}, body: "x".repeat(9_000), cut: null },
  ]);
  assert((await failure(service.products.get("P"))).message.length < 600);
});

Deno.test("a service that repeats the credentials does not bring them into an error", async () => {
  const { STOCKTRIM_API_AUTH_ID: id, STOCKTRIM_API_AUTH_SIGNATURE: signature } = ENV;
  const body = JSON.stringify({ title: `No tenant ${id}`, detail: `named "${signature}"` });
  for (const status of [400, 401, 500]) {
    const answer: HttpResult = { answered: true, status, headers: {}, body, cut: null };
    const thrown = await failure(scripted([answer]).service.products.get("P"));
    const outcome = errorOf(await scripted([answer]).service.products.delete("P"));
    for (const error of [thrown, outcome]) {
      assertStringIncludes(error.message, 'No tenant ***: named "***"');
      const texts = [error.message, error.hint, JSON.stringify(error.details), String(error.stack)];
      await assertNoSecrets({ id, signature }, { texts });
    }
  }
});

Deno.test("the credentials are sent as headers only", async () => {
  const { service, sent } = scripted([]);
  for (const ask of Object.values(READS)) await ask(service);
  for (const change of Object.values(CHANGES)) await change(service);
  assert(sent.length >= 20);
  for (const { url, body, headers } of sent) {
    assertEquals([headers["api-auth-id"], headers["api-auth-signature"]], [
      "id-5fd0",
      "signature-91ce",
    ]);
    assert(url.startsWith("https://stock.example/base/api/"), url);
    assert(!/id-5fd0|signature-91ce/.test(`${url}${body ?? ""}`));
  }
});

Deno.test("an account that cannot be used is refused before anything is sent", () => {
  const account = (env: Readonly<Record<string, string>>) =>
    readAccount({ get: (name) => env[name] });
  assertEquals(account(ENV).base, "https://stock.example/base");
  const { STOCKTRIM_BASE_URL: _, ...bare } = ENV;
  assertEquals(account(bare).base, "https://api.stocktrim.com");
  for (const url of ["http://127.0.0.1:80", "http://[::1]:8080/x", "http://localhost:1"]) {
    assertEquals(account({ ...ENV, STOCKTRIM_BASE_URL: url }).id, "id-5fd0");
  }
  const wrong: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{}, "STOCKTRIM_API_AUTH_ID and STOCKTRIM_API_AUTH_SIGNATURE are not set"],
    [{ ...ENV, STOCKTRIM_API_AUTH_ID: " " }, "STOCKTRIM_API_AUTH_ID is not set"],
    [{ ...ENV, STOCKTRIM_API_AUTH_SIGNATURE: "a\nb" }, "no header can carry"],
    [{ ...ENV, STOCKTRIM_BASE_URL: "stock" }, "it is no URL"],
    [{ ...ENV, STOCKTRIM_BASE_URL: "ftp://stock.example" }, "it is no https URL"],
    [{ ...ENV, STOCKTRIM_BASE_URL: "http://stock.example" }, "it is not encrypted"],
    [{ ...ENV, STOCKTRIM_BASE_URL: "http://127.0.0.1.example" }, "it is not encrypted"],
    [{ ...ENV, STOCKTRIM_BASE_URL: "https://me:pass-77@stock.example" }, "user name or password"],
    [{ ...ENV, STOCKTRIM_BASE_URL: "https://stock.example?key=pass-77" }, "a query"],
  ];
  for (const [env, words] of wrong) {
    const error = assertThrows(() => account(env), AmofError, words);
    assertEquals(error.code, "stocktrim_not_configured");
    assert(!/id-5fd0|signature-91ce|pass-77/.test(error.message + error.hint), error.message);
  }
});

Deno.test("a connection that is dropped: a read is repeated, a change is not, and nobody knows", async () => {
  await using fake = await fakeStockTrim();
  const { system } = hastyWorld(fake.env);
  const service = openStockTrim({ system, signal: SIGNAL });
  fake.fail({ on: "GET /api/Products", drop: "before" });
  fake.fail({ on: "GET /api/Products", drop: "within" });
  assertEquals((await service.products.get("SKU-001"))?.productId, "SKU-001");
  assertEquals(fake.requests.length, 3);
  for (const [drop, rest] of [["before", 60], ["after", 59]] as const) {
    fake.fail({ on: "DELETE", drop });
    const outcome = await service.products.delete("SKU-001");
    assertEquals([outcome.state, fake.shop.products.length], ["unknown", rest], drop);
    assertStringIncludes(errorOf(outcome).message, "the connection broke before an answer came");
  }
  assertEquals(fake.requests.filter(({ method }) => method === "DELETE").length, 2);
  assertEquals(fake.violations, []);
});
