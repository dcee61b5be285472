/**
 * Deleting at StockTrim: what a person is asked, what their answer comes to, and what is said of it (STOCKTRIM-5,
 * STOCKTRIM-6).
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pick } from "../support/answers.ts";
import { McpClient, type Message, type ToolAnswer } from "../support/mcp_client.ts";
import {
  assertNoSecrets,
  changesIn,
  type TestStockTrim,
  worldWithStockTrim,
} from "../support/stocktrim.ts";
import { Typist } from "../support/terminal.ts";
import type { World } from "../support/world.ts";
import { lastAudit } from "./_support.ts";

/** A deletion as it is tried. */
interface Deletion {
  readonly tool: string;
  readonly member: string;
  /** What the caller calls it, which is not always what it is deleted by. */
  readonly called: string;
  /** The request that deletes it. */
  readonly request: string;
  /** What it is, as messages say it. */
  readonly what: string;
  /** Lines of the question. */
  readonly shown: readonly string[];
  /** The name that a person types; null where they say yes. */
  readonly typed: string | null;
  /** Changes what would be deleted. */
  readonly alter: (shop: TestStockTrim["shop"]) => void;
  /** The tool that tells how it stands. */
  readonly reader: string;
}

function row(
  rows: readonly Record<string, unknown>[],
  member: string,
  value: string,
): Record<string, unknown> {
  const found = rows.find((one) => one[member] === value);
  assert(found !== undefined);
  return found;
}

const DELETIONS: readonly Deletion[] = [
  {
    tool: "stocktrim_product_delete",
    member: "code",
    called: "SKU-002",
    // What people call it is not what it is deleted by.
    request: "DELETE /api/Products?productId=33303389",
    what: "product SKU-002",
    shown: [
      "Name: Accessories 2",
      "Code: SKU-002 (id 33303389)",
      "Status: 🟢 Active",
      "💰 Cost: 12.00",
      "Stock: 4 on hand, 0 on order, at 1 location",
      "Suppliers: GEAR",
    ],
    typed: null,
    alter: (shop) => {
      row(shop.products, "productId", "33303389")["cost"] = 99;
    },
    reader: "stocktrim_product_get",
  },
  {
    tool: "stocktrim_supplier_delete",
    member: "code",
    called: "BEAN",
    request: "DELETE /api/Suppliers?supplierCodeOrName=BEAN",
    what: "supplier BEAN",
    shown: ["Name: Bean & Co", "Code: BEAN", "Contact: Bea Bean", "Lead time: 7 days"],
    typed: "BEAN",
    alter: (shop) => {
      row(shop.suppliers, "supplierCode", "BEAN")["primaryContactName"] = "Somebody else";
    },
    reader: "stocktrim_supplier_get",
  },
  {
    tool: "stocktrim_purchase_order_delete",
    member: "reference",
    called: "PO-5",
    request: "DELETE /api/PurchaseOrders?referenceNumber=PO-5",
    what: "purchase order PO-5",
    shown: [
      "Reference: PO-5",
      "Supplier: Bean & Co (BEAN)",
      "Status: 🟢 Draft",
      "💰 Total cost: 30.00",
      "Items: 1 item",
    ],
    typed: null,
    alter: (shop) => {
      row(shop.purchaseOrders, "clientReferenceNumber", "PO-5")["status"] = "Sent";
    },
    reader: "stocktrim_purchase_order_get",
  },
  {
    tool: "stocktrim_sales_orders_delete",
    member: "product",
    called: "SKU-002",
    request: "DELETE /api/SalesOrders?productId=33303389",
    what: "sales orders of product SKU-002",
    shown: [
      "Name: Accessories 2",
      "Code: SKU-002 (id 33303389)",
      "Status: 🟢 Active",
      "Orders: 1",
      "Total quantity: 3",
      "Customers: No customer data",
      "💰 Total revenue: Unknown",
    ],
    typed: "SKU-002",
    alter: (shop) => {
      // Totals alone would not tell.
      row(shop.salesOrders, "productId", "33303389")["orderDate"] = "2020-01-01T00:00:00Z";
    },
    reader: "stocktrim_sales_orders_list",
  },
];

/** A server with these tools alone, and the stand-in it speaks to. */
interface Stage extends AsyncDisposable {
  readonly world: World;
  readonly shop: TestStockTrim;
  readonly client: McpClient;
}

async function stage(
  capabilities: unknown = { elicitation: {} },
  flags: readonly string[] = [],
): Promise<Stage> {
  const { world, shop } = await worldWithStockTrim();
  const client = new McpClient(world, ["--toolsets", "stocktrim", ...flags]);
  await client.initialize({ capabilities });
  return {
    world,
    shop,
    client,
    async [Symbol.asyncDispose]() {
      const said = [...client.lines];
      await client[Symbol.asyncDispose]();
      // Whatever happened, the credentials are nowhere in what was said, logged or stored.
      await assertNoSecrets(shop, { texts: said, directories: [world.directory] });
      assertEquals(shop.violations, []);
      await shop[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

function call(client: McpClient, { tool, member }: Deletion, called: string): Promise<ToolAnswer> {
  return client.call(tool, { [member]: called, mode: "execute" });
}

/** Calls, hands the question to `reply`, and answers what the tool then said. */
async function asked(
  { client }: Stage,
  deletion: Deletion,
  reply: (question: Message) => Promise<unknown>,
): Promise<ToolAnswer> {
  const pending = call(client, deletion, deletion.called);
  await reply(await client.asked("elicitation/create"));
  return await pending;
}

function questions(client: McpClient): number {
  return client.lines.filter((line) => line.includes("elicitation/create")).length;
}

/** What a client sends back for a consent. */
function yes({ typed }: Deletion): Record<string, unknown> {
  return { action: "accept", content: typed === null ? { confirm: true } : { name: typed } };
}

Deno.test("of two suppliers with one name none is deleted, because the service deletes by either", async () => {
  await using on = await stage();
  row(on.shop.shop.suppliers, "supplierCode", "LEAF")["supplierName"] = "bean";
  const refused = await on.client.call("stocktrim_supplier_delete", {
    ...{ code: "BEAN", mode: "execute" },
  });
  assertEquals(refused.data["error"], "stocktrim_refused", refused.text);
  assertStringIncludes(refused.text, "2 suppliers have that as their code or name");
  assertEquals([questions(on.client), changesIn(on.shop)], [0, []]);
});

for (const deletion of DELETIONS) {
  const { tool, what, typed, request } = deletion;

  Deno.test(`${tool} asks nobody about what is not there, and changes nothing without consent`, async () => {
    await using on = await stage();
    const { client, shop, world } = on;
    const before = await world.fingerprint();
    const missing = await call(client, deletion, "NOWHERE");
    assertEquals(missing.data["error"], "stocktrim_not_found", missing.text);
    assertStringIncludes(missing.text, "NOWHERE");
    assertEquals(questions(client), 0);

    const declined = await asked(on, deletion, async (question) => {
      const message = String(pick(question, "params", "message"));
      const lines = message.split("\n").filter((line) => line !== "");
      assertEquals(lines[0], `⚠️ Delete ${what}?`);
      assertEquals(lines.at(-1), "Proceed with deletion?");
      for (const line of deletion.shown) assert(lines.includes(line), `${line} in ${message}`);
      assertMatch(message, /⚠️ .*cannot be undone/);
      assert(lines.length <= 12, message);
      const schema = pick(question, "params", "requestedSchema");
      assertEquals(pick(schema, "required"), [typed === null ? "confirm" : "name"]);
      await client.respond(question, { action: "decline" });
    });
    const said = what.charAt(0).toUpperCase() + what.slice(1);
    assertEquals(declined.data["error"], "confirmation_declined");
    assertStringIncludes(declined.text, `❌ Deletion of ${what} declined by user`);
    assertEquals(lastAudit(world)["decision"], "declined");

    const cancelled = await asked(
      on,
      deletion,
      (question) => client.respond(question, { action: "cancel" }),
    );
    assertStringIncludes(cancelled.text, `❌ Deletion of ${what} cancelled by user`);
    // Accepting without the field says nothing.
    const empty = await asked(
      on,
      deletion,
      (question) => client.respond(question, { action: "accept" }),
    );
    assert(empty.isError, empty.text);
    const stale = await asked(on, deletion, (question) => {
      deletion.alter(shop.shop);
      return client.respond(question, yes(deletion));
    });
    assertEquals(stale.data["error"], "confirmation_stale", stale.text);
    assertEquals(changesIn(shop), []);
    assertEquals((await world.changesSince(before)).length, 2, "what the test altered itself");

    const done = await asked(on, deletion, (question) => client.respond(question, yes(deletion)));
    assert(!done.isError, done.text);
    assertStringIncludes(done.text, `✅ ${said} deleted successfully`);
    assertEquals([done.data["deleted"], done.data["verified"]], [true, true]);
    assertEquals(changesIn(shop), [request]);
    assertEquals(lastAudit(world)["decision"], "accepted");
    // It is looked at before the question, before the deed, and after it.
    const again = await call(client, deletion, deletion.called);
    assertEquals(again.data["error"], "stocktrim_not_found", again.text);
  });

  Deno.test(`${tool} never says that it succeeded where it did not, and sends nothing twice`, async () => {
    await using on = await stage();
    const { client, shop } = on;
    const [verb = ""] = request.split("?");
    const consent = (question: Message) => client.respond(question, yes(deletion));

    shop.fail({ on: verb, status: 500, body: "<html><title>Oops</title></html>" });
    const failed = await asked(on, deletion, consent);
    assert(failed.isError && !failed.text.includes("✅"), failed.text);
    assertEquals(failed.data["error"], "stocktrim_failed");
    assertEquals(changesIn(shop), [request]);

    // The service says yes and keeps it.
    shop.fail({ on: verb, status: 200, body: "" });
    const kept = await asked(on, deletion, consent);
    assertEquals(kept.data["error"], "stocktrim_failed", kept.text);
    assertMatch(kept.text, /still there/);

    // It is done, and nobody hears of it.
    shop.fail({ on: verb, drop: "after" });
    const unknown = await asked(on, deletion, consent);
    assertEquals(unknown.data["error"], "stocktrim_outcome_unknown", unknown.text);
    assertStringIncludes(String(unknown.data["hint"]), deletion.reader);
    assertEquals(changesIn(shop), [request, request, request], "none was sent twice");
  });

  Deno.test(`${tool} deletes nothing where nobody can be asked, whatever the caller brings along`, async () => {
    await using on = await stage({});
    const { client, shop, world } = on;
    const refused = await call(client, deletion, deletion.called);
    assertEquals(refused.data["error"], "confirmation_required", refused.text);
    assertMatch(refused.text, /a person must approve it, because this client shows no forms/);
    assertMatch(refused.text, /amof approve [0-9a-f]{8}/);
    const token = String(pick(refused.data, "confirmation", "token"));
    assertEquals(pick(refused.data, "confirmation", "typed_value_required"), false);
    const name = typed === null ? {} : { confirm_name: typed };
    const consent = typed === null ? { confirm: true } : name;
    const again = { [deletion.member]: deletion.called, mode: "execute", ...consent };
    for (
      const [of, args] of [
        ["amof_confirm", { token, mode: "execute" }],
        ["amof_confirm", {
          token,
          mode: "execute",
          ...typed === null ? {} : { typed_value: typed },
        }],
        [tool, again],
        [tool, { ...again, confirmation_token: token }],
      ] as const
    ) {
      const said = await client.call(of, args);
      assertEquals(said.data["error"], "approval_pending", said.text);
    }
    await using other = new McpClient(world, ["--toolsets", "stocktrim"]);
    await other.initialize({ capabilities: {} });
    const first = await other.call(tool, again);
    assertEquals(first.data["error"], "confirmation_required", first.text);
    assert(pick(first.data, "confirmation", "approval") !== undefined, first.text);
    assertEquals(changesIn(shop), []);
  });

  Deno.test({
    name:
      `${tool} waits for a person at a terminal where the client shows no forms or the server is told to, and is done once`,
    ignore: Deno.build.os === "windows", // terminals
    async fn() {
      await using on = deletion === DELETIONS[0]
        ? await stage({ elicitation: {} }, ["--confirm", "human"])
        : await stage({});
      const { client, shop, world } = on;
      const waiting = await call(client, deletion, deletion.called);
      assertEquals(waiting.data["error"], "confirmation_required", waiting.text);
      const token = String(pick(waiting.data, "confirmation", "token"));
      const id = String(pick(waiting.data, "confirmation", "approval", "id"));
      const poll = () => client.call("amof_confirm", { token, mode: "execute" });
      assertEquals((await poll()).data["error"], "approval_pending");
      const person = await Typist.start(world, ["approve", id]);
      await person.sees(typed === null ? "? [y/N] " : " to proceed: ");
      await person.types(`${typed ?? "y"}\n`);
      const { code, screen } = await person.ends();
      assertEquals(code, 0, screen);
      for (const line of deletion.shown) assertStringIncludes(screen, line);
      assertEquals(changesIn(shop), [], "approving alone changes nothing");
      const done = await poll();
      assert(!done.isError, done.text);
      assertMatch(done.text, /✅ .* deleted successfully/);
      assertEquals(changesIn(shop), [request]);
      assertEquals((await poll()).data["error"], "confirmation_invalid");
    },
  });
}
