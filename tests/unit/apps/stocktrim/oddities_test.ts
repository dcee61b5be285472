// Covers the oddities of the StockTrim service, one by one in the order of their list: against the stand-in, which has
// all of them, and in what the records hold.

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { openStockTrim, type StockTrim } from "../../../../src/apps/stocktrim/client/client.ts";
import {
  customer,
  location,
  processingStatus,
  product,
  purchaseOrder,
  salesOrder,
  sku,
  supplier,
} from "../../../../src/apps/stocktrim/client/records.ts";
import {
  assertNoSecrets,
  fakeStockTrim,
  hastyWorld,
  type TestStockTrim,
} from "../../../support/stocktrim.ts";

const SIGNAL = new AbortController().signal;

/** A test with a stand-in and a client of it; afterwards nothing may have been deleted without a filter. */
function oddity(
  name: string,
  body: (service: StockTrim, fake: TestStockTrim) => Promise<void>,
): void {
  Deno.test(name, async () => {
    await using fake = await fakeStockTrim();
    await body(openStockTrim({ system: hastyWorld(fake.env).system, signal: SIGNAL }), fake);
    assertEquals(fake.violations, []);
  });
}

oddity("1: 404 of a read with a filter means none", async (service) => {
  assertEquals(
    [
      await service.products.get("NO"),
      await service.customers.get("NO"),
      await service.suppliers.get("NO"),
      await service.locations.get("NO"),
      await service.purchaseOrders.get("NO"),
      await service.salesOrders.list("NO"),
    ],
    [null, null, null, null, null, []],
  );
});

oddity("2: 404 of a whole list never means that there is nothing", async (service, fake) => {
  fake.behaviour.off = true;
  for (const list of [() => service.locations.list(), () => service.salesOrders.list()]) {
    const error = await assertRejects(list, AmofError, "it may be switched off for your account");
    assertEquals([error.code, error.details["kind"]], ["stocktrim_failed", "list_not_available"]);
  }
  fake.fail({ on: "GET /api/Customers", status: 404 });
  await assertRejects(() => service.customers.list(), AmofError, "may be switched off");
  fake.fail({ on: "GET /api/SuppliersBulk", status: 404 });
  await assertRejects(() => service.suppliers.list(), AmofError, "may be switched off");
  fake.fail({ on: "GET /api/ProcessingStatus", status: 404 });
  await assertRejects(() => service.forecast.status(), AmofError, "answered 404");
  // Purchase orders are listed by the newer operation, which accounts have.
  assertEquals((await service.purchaseOrders.page({ page: 0 })).items.length, 5);
  assertEquals((await service.purchaseOrders.get("PO-1"))?.reference, "PO-1");
});

oddity("3: one record may come alone or in a list", async (service, fake) => {
  for (const lists of [false, true]) {
    fake.behaviour.lists = lists;
    assertEquals((await service.suppliers.get("LEAF"))?.supplierName, "Leaf Traders");
    assertEquals((await service.locations.get("WEST"))?.locationName, "West depot");
    fake.fail({ on: "GET /api/V2/PurchaseOrders/", status: 404 });
    assertEquals((await service.purchaseOrders.get("PO-2"))?.status, "Approved");
  }
  for (const body of ["null", "[]", ""]) {
    fake.fail({ on: "GET /api/Suppliers", status: 200, body });
    assertEquals(await service.suppliers.get("LEAF"), null, body);
  }
  fake.fail({ on: "GET /api/Suppliers", status: 200, body: JSON.stringify(fake.shop.suppliers) });
  assertEquals((await service.suppliers.get("LEAF"))?.id, 2, "others besides are not taken for it");
});

Deno.test("4: whatever is null, missing or of another type is null", () => {
  for (const read of [product, customer, supplier, location, purchaseOrder, salesOrder, sku]) {
    for (const value of [null, undefined, "text", 7, [], {}]) assertEquals(read(value), null);
  }
  const bare = product({ productId: "P", cost: "12.5", price: "free", name: 7, suppliers: null });
  assertEquals(
    [bare?.code, bare?.cost, bare?.price, bare?.name, bare?.suppliers, bare?.discontinued],
    ["P", 12.5, null, "7", [], false],
  );
  assertEquals(Object.values(bare ?? {}).includes(undefined as never), false);
  assertEquals(supplier({ supplierCode: null, supplierName: "Stall" })?.supplierCode, null);
  const order = purchaseOrder({
    id: 1,
    supplier: null,
    location: "x",
    purchaseOrderLineItems: [{}, 1],
  });
  assertEquals(
    [
      order?.reference,
      order?.supplierCode,
      order?.locationCode,
      order?.status,
      order?.lines.length,
    ],
    [null, null, null, null, 1],
  );
  assertEquals(processingStatus(null), {
    percentageComplete: null,
    statusMessage: null,
    isProcessing: false,
  });
});

oddity("4: suppliers without a code and orders without a reference are read", async (service) => {
  const suppliers = await service.suppliers.list();
  assertEquals(suppliers.map(({ supplierCode }) => supplierCode), ["BEAN", "LEAF", "GEAR", null]);
  assertEquals((await service.suppliers.get("Market stall"))?.id, 4);
  const order = await service.purchaseOrders.get("PO-5");
  assertEquals([order?.referenceNumber, order?.reference], [null, "PO-5"]);
  assertEquals((await service.purchaseOrders.get("PO-4"))?.supplierCode, null);
});

oddity("5: a status is a word or a number", async (service, fake) => {
  const words = ["Draft", "Approved", "Sent", "Received", "Draft"];
  for (const numbers of [false, true]) {
    fake.behaviour.numbers = numbers;
    const { items } = await service.purchaseOrders.page({ page: 0 });
    assertEquals<unknown>(items.map(({ status }) => status), words);
  }
  const statusOf = (status: unknown) => purchaseOrder({ id: 1, status })?.status;
  assertEquals(["2", "received", 4, -1, "Lost", null].map(statusOf), [
    "Sent",
    "Received",
    null,
    null,
    null,
    null,
  ]);
});

oddity(
  "6: what has the same key is written over, and the record shown is the new one",
  async (service, fake) => {
    const fresh = await service.products.save({ productId: "NEW", name: "New" });
    const again = await service.products.save({ productId: "NEW", name: "Newer" });
    assert(fresh.state === "done" && again.state === "done");
    assertEquals([fresh.value?.name, again.value?.name, fake.shop.products.length], [
      "New",
      "Newer",
      61,
    ]);
    const order = { supplierCode: "BEAN", lines: [], clientReferenceNumber: "PO-1" };
    assertEquals((await service.purchaseOrders.create(order)).state, "done");
    assertEquals(fake.shop.purchaseOrders.length, 5);
  },
);

oddity(
  "7 and 8: no null is ever sent, so that nothing stored is cleared",
  async (service, fake) => {
    const given = {
      orderDate: null,
      locationCode: undefined,
      lines: [{ productId: "P", quantity: 1, unitPrice: null }],
    };
    const order = { supplierCode: "BEAN", clientReferenceNumber: "PO-1", ...given };
    // A caller that passes on what it has read, nulls and all.
    await service.purchaseOrders.create(order as never);
    assertEquals(fake.requests.at(-1)?.body, {
      clientReferenceNumber: "PO-1",
      supplier: { supplierCode: "BEAN" },
      purchaseOrderLineItems: [{ productId: "P", quantity: 1 }],
    });
    assertEquals(fake.shop.purchaseOrders[0]?.["orderDate"], "2026-01-01T08:30:00.307");
    await service.products.save({ productId: "SKU-001", cost: 3 });
    assertEquals((await service.products.get("SKU-001"))?.name, "Tea 1");
  },
);

oddity("9: a delete is done with any good status and an empty body", async (service, fake) => {
  const ends = [
    await service.products.delete("SKU-001"),
    await service.suppliers.delete("BEAN"),
    await service.purchaseOrders.delete("PO-1"),
    await service.salesOrders.deleteOfProduct("33303389"),
  ];
  assertEquals(ends.map(({ state }) => state), ["done", "done", "done", "done"]);
  const { products, suppliers, purchaseOrders, salesOrders } = fake.shop;
  assertEquals([products, suppliers, purchaseOrders, salesOrders].map((all) => all.length), [
    59,
    3,
    4,
    2,
  ]);
  const { state } = await service.products.delete("SKU-001");
  assertEquals(state, "failed", "404 is no success");
});

oddity("10: the stand-in notices a delete without a filter", async (_service, fake) => {
  const headers = { "api-auth-id": fake.id, "api-auth-signature": fake.signature };
  const response = await fetch(`${fake.url}/api/Products?productId=`, {
    method: "DELETE",
    headers,
  });
  await response.body?.cancel();
  assertEquals([response.status, fake.shop.products.length], [400, 60]);
  assertEquals(fake.violations, ["DELETE /api/Products"]);
  (fake.violations as string[]).length = 0;
});

oddity("11: what comes back for stock is not taken for anything", async (service, fake) => {
  assertEquals(await service.inventory.set({ productId: "SKU-001", stockOnHand: 7 }), {
    state: "done",
    value: null,
  });
  assertEquals(fake.requests.at(-1)?.body, {
    inventory: [{ productId: "SKU-001", stockOnHand: 7 }],
  });
  assertEquals((await service.products.get("SKU-001"))?.stockOnHand, 7);
});

oddity(
  "12: pages begin with 0 and end with one that is not full, or with 404",
  async (service, fake) => {
    const first = await service.products.page(0);
    const second = await service.products.page(1);
    assertEquals([first.items.length, first.more, second.items.length, second.more], [
      50,
      true,
      10,
      false,
    ]);
    assertEquals(await service.products.page(2), { items: [], more: false });
    const orders = await service.purchaseOrders.page({ page: 0, pageSize: 2 });
    assertEquals([orders.items.length, orders.more], [2, true]);
    assertEquals<unknown>(await service.purchaseOrders.page({ page: 0, status: "Sent" }), {
      items: [await service.purchaseOrders.get("PO-3")],
      more: false,
    });
    const plan = await service.orderPlan.page({ category: "Tea" }, 0, 15);
    const rest = await service.orderPlan.page({ category: "Tea" }, 1, 15);
    assertEquals([plan.items.length, plan.more, rest.items.length, rest.more], [
      15,
      true,
      5,
      false,
    ]);
    assertEquals(fake.lines().filter((line) => line.startsWith("GET /api/Products")), [
      "GET /api/Products?pageNo=0",
      "GET /api/Products?pageNo=1",
      "GET /api/Products?pageNo=2",
    ]);
    // A row that cannot be read does not make a full page the last one.
    fake.shop.products[0] = {};
    assertEquals((await service.products.page(0)).more, true);
  },
);

oddity("13: a product is found by its code and deleted by its id", async (service, fake) => {
  const found = await service.products.get("SKU-002");
  assertEquals([found?.code, found?.productId], ["SKU-002", "33303389"]);
  assertEquals(await service.products.get("33303389"), found);
  await service.products.delete(found?.productId ?? "");
  assertEquals(fake.lines().at(-1), "DELETE /api/Products?productId=33303389");
  assertEquals(await service.products.get("SKU-002"), null);
  // The code of one that is the id of another means neither.
  fake.shop.products.push({ productId: "OTHER", productCodeReadable: "SKU-003" });
  const error = await assertRejects(() => service.products.get("SKU-003"), AmofError);
  assertEquals(error.details["product_ids"], ["SKU-003", "OTHER"]);
});

oddity("the two filters of the order plan keep their shapes", async (service, fake) => {
  await service.orderPlan.page({ searchString: "tea", supplier: "LEAF" }, 0, 5);
  assertEquals(fake.requests.at(-1)?.body, {
    searchString: "tea",
    supplier: "LEAF",
    page: 0,
    perPage: 5,
  });
  const made = await service.purchaseOrders.generate({ supplierCodes: ["LEAF"] });
  assert(made.state === "done");
  assertEquals(made.value?.map(({ supplierCode, status }) => [supplierCode, status]), [[
    "LEAF",
    "Draft",
  ]]);
  const wrong = await service.purchaseOrders.generate({ supplierCodes: "LEAF" } as never);
  assert(wrong.state === "failed");
  assertStringIncludes(wrong.error.message, "(415): Unsupported Media Type");
});

oddity("a body is JSON by its name, not a family of types", async (_service, fake) => {
  const response = await fetch(`${fake.url}/api/Products`, {
    method: "POST",
    headers: {
      "api-auth-id": fake.id,
      "api-auth-signature": fake.signature,
      "content-type": "application/*+json",
    },
    body: JSON.stringify({ productId: "NEW" }),
  });
  assertEquals([response.status, await response.text()], [415, "Unsupported Media Type"]);
});

oddity("codes go into the address as what they are", async (service, fake) => {
  for (const code of ["a/b", "a b&c=d", "../Products", "ü?#%", "..", ".", ""]) {
    assertEquals(await service.customers.get(code), null, code);
    assertEquals(await service.products.get(code), null, code);
    assertEquals(await service.purchaseOrders.get(code), null, code);
  }
  const paths = fake.requests.map(({ path }) => path);
  assert(
    paths.every((path) =>
      /^\/api\/(?:Customers\/|Products$|PurchaseOrders$|V2\/PurchaseOrders\/)/.test(path)
    ),
  );
  fake.shop.customers.push({ code: "a/b" });
  assertEquals((await service.customers.get("a/b"))?.code, "a/b");
});

oddity("a calculation goes on and ends", async (service) => {
  assertEquals((await service.forecast.run()).state, "done");
  const seen = [];
  for (let turn = 0; turn < 4; turn++) {
    const { isProcessing, percentageComplete } = await service.forecast.status();
    seen.push([isProcessing, percentageComplete]);
  }
  assertEquals(seen, [[true, 0], [true, 40], [true, 80], [false, 100]]);
});

oddity("an answer that is a page of HTML is no empty list", async (service, fake) => {
  fake.fail({ on: "GET /api/SuppliersBulk", status: 200, body: "<html>Sign in</html>" });
  const error = await assertRejects(() => service.suppliers.list(), AmofError, "cannot be read");
  assertEquals([error.code, error.details["kind"]], ["stocktrim_failed", "answer"]);
});

Deno.test("wrong credentials are told without them", async () => {
  await using fake = await fakeStockTrim();
  const wrong = { id: "wrong-id-4711", signature: "wrong-name-4711" };
  const env = {
    ...fake.env,
    STOCKTRIM_API_AUTH_ID: wrong.id,
    STOCKTRIM_API_AUTH_SIGNATURE: wrong.signature,
  };
  const service = openStockTrim({ system: hastyWorld(env).system, signal: SIGNAL });
  const error = await assertRejects(() => service.products.get("SKU-001"), AmofError);
  assertEquals(error.code, "stocktrim_auth_failed");
  await assertNoSecrets(wrong, {
    texts: [error.message, error.hint, JSON.stringify(error.details)],
  });
});

Deno.test("the search for credentials finds them, also encoded and in files", async () => {
  await using fake = await fakeStockTrim();
  const texts = [encodeURIComponent(fake.signature), btoa(fake.id), `x${fake.id}x`];
  for (const text of texts) {
    await assertRejects(() => assertNoSecrets(fake, { texts: ["fine", text] }), Error);
  }
  const directory = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${directory}/below`);
    await Deno.writeTextFile(`${directory}/below/log`, "fine");
    await assertNoSecrets(fake, { directories: [directory] });
    await Deno.writeTextFile(`${directory}/below/log`, `token ${fake.signature}`);
    await assertRejects(() => assertNoSecrets(fake, { directories: [directory] }), Error);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
