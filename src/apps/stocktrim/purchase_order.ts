/**
 * `amof stocktrim purchase-order`: what is ordered at suppliers (STOCKTRIM-3). One that exists is never written over
 * (STOCKTRIM-7), and deleted for good (STOCKTRIM-5).
 */

import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { blocks } from "../../base/text/parts.ts";
import { count } from "../../base/text/words.ts";
import { type Mutation, mutation, type Query, query } from "../../contract/mod.ts";
import type { StockTrim } from "./client/client.ts";
import { STATUSES } from "./client/oddities.ts";
import {
  alreadyThere,
  creating,
  deleting,
  foundOnPage,
  getting,
  isoDay,
  listReader,
  notFound,
  paged,
  reader,
  required,
  requireDone,
  rowsOf,
  service,
  SERVICE_COMMAND,
  word,
} from "./declare.ts";
import { ORDERS, type OrderView, PRODUCTS, SUPPLIERS } from "./nouns.ts";
import { planRows } from "./order_plan.ts";
import { amount, day, money, named, quantity, shown, total } from "./shown.ts";

const ORDER_LIST = listReader(ORDERS);

/** `amof stocktrim purchase-order get`. */
export const getPurchaseOrder: Query = getting(ORDERS, {
  name: "stocktrim_purchase_order_get",
  path: ["stocktrim", "purchase-order", "get"],
  next: ["stocktrim_purchase_orders"],
  title: "Get purchase order",
  summary: "Show a StockTrim purchase order by its reference, with its lines and total cost.",
  examples: ["stocktrim purchase-order get PO-1001"],
}, {
  named: ({ reference }) => shown(reference),
  details: (order) =>
    blocks(
      ORDERS.lines(order),
      order.lines.length === 0 ? null : rowsOf(order.lines, {
        product: (line) => shown(line.product_id),
        quantity: (line) => quantity(line.quantity),
        "unit price": (line) => money(line.unit_price),
      }),
    ),
});

/** Orders on one page. */
const PER_PAGE = 50;

/** `amof stocktrim purchase-order list`. */
export const listPurchaseOrders: Query = query({
  ...SERVICE_COMMAND,
  name: "stocktrim_purchase_orders_list",
  path: ["stocktrim", "purchase-order", "list"],
  next: ["stocktrim_suppliers", "stocktrim_order_plan"],
  title: "List purchase orders",
  summary:
    "List StockTrim purchase orders page by page, by status and supplier; next_page goes on.",
  examples: ["stocktrim purchase-order list --status Draft"],
  pages: { member: "purchase_orders", key: ["id", "reference"] },
  input: (z) => ({
    status: z.enum(STATUSES).optional().describe("Only those"),
    supplier: word(z, "Only those of this supplier, by exact code or name").optional(),
    page: z.int().min(0).max(100_000).default(0).describe("Page, from 0; each is filtered"),
  }),
  async run(ctx, { status, supplier, page }) {
    const { purchaseOrders } = await service(ctx);
    const found = await purchaseOrders.page({ page, pageSize: PER_PAGE, status });
    const orders = found.items.map(ORDERS.view).filter((order) =>
      supplier === undefined || [order.supplier_code, order.supplier_name].includes(supplier)
    );
    return {
      data: {
        purchase_orders: orders.map(({ lines, ...order }) => ({
          ...order,
          line_count: lines.length,
        })),
        ...paged(page, found.more),
      },
    };
  },
  render: ({ purchase_orders: orders, ...at }) => ({
    summary: foundOnPage(orders.length, "purchase order", at),
    details: rowsOf(orders, {
      reference: ({ reference }) => shown(reference, ""),
      status: ({ status }) => shown(status, ""),
      supplier: (order) => named(order.supplier_name, order.supplier_code),
      ordered: (order) => day(order.order_date),
      items: (order) => order.line_count,
      cost: (order) => money(order.total_cost),
    }),
  }),
});

/** A line as it is written: `WIDGET-1=10` or `WIDGET-1=10@4.50`. */
const LINE = /^(.+)=(\d+(?:\.\d+)?)(?:@(\d+(?:\.\d+)?))?$/;

async function lineOf(stocktrim: StockTrim, written: string) {
  const [, code = "", pieces = "", price] = LINE.exec(written) ?? [];
  if (Number(pieces) <= 0) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot order "${shown(written)}": a line is CODE=QUANTITY or CODE=QUANTITY@PRICE`,
      {
        hint: "Write lines as WIDGET-1=10@4.50, with more than 0 pieces",
        details: { issues: [{ path: "lines", problem: "is no CODE=QUANTITY@PRICE" }] },
      },
    );
  }
  const product = await required(PRODUCTS, stocktrim, code);
  return {
    product_id: product.productId,
    code: product.code,
    quantity: Number(pieces),
    unit_price: price === undefined ? null : Number(price),
  };
}

/** `amof stocktrim purchase-order create`. */
export const createPurchaseOrder: Mutation = mutation({
  ...creating("purchase order"),
  name: "stocktrim_purchase_order_create",
  path: ["stocktrim", "purchase-order", "create"],
  next: ["stocktrim_purchase_orders"],
  title: "Create purchase order",
  summary: "Create a StockTrim purchase order of CODE=QUANTITY@PRICE lines; never writes over one.",
  positionals: ["supplier", "lines"],
  examples: ["stocktrim purchase-order create ACME WIDGET-1=10@4.50 --reference PO-2001"],
  input: (z) => ({
    supplier: word(z, "Exact code of the supplier"),
    lines: z.array(word(z, "")).min(1).max(100).describe("CODE=QUANTITY or CODE=QUANTITY@PRICE"),
    reference: word(z, "Your own reference for it").optional(),
    status: z.enum(STATUSES).default("Draft").describe("How far it is"),
    date: isoDay(z).optional().describe("Order date, ISO 8601; now when absent"),
    location: word(z, "Code of the location it is for").optional(),
  }),
  async preview(ctx, { supplier: wanted, lines: written, reference, status }) {
    const stocktrim = await service(ctx, "preview");
    const supplier = await required(SUPPLIERS, stocktrim, wanted);
    if (reference !== undefined && await stocktrim.purchaseOrders.get(reference) !== null) {
      throw alreadyThere(
        "purchase order",
        reference,
        `See it: ${
          reader(ORDERS, reference)
        }\nTake another one: the same command with --reference NAME`,
      );
    }
    const lines: Awaited<ReturnType<typeof lineOf>>[] = [];
    for (const line of written) lines.push(await lineOf(stocktrim, line));
    const cost = total(lines.map((line) => amount(line.quantity, line.unit_price)));
    const name = reference === undefined
      ? `order from ${shown(supplier.supplierCode ?? wanted)}`
      : `purchase order ${shown(reference)}`;
    return {
      facts: {
        supplier_code: supplier.supplierCode ?? wanted,
        supplier_name: supplier.supplierName,
        status,
        lines,
        total_cost: cost,
      },
      subject: { name, typed: { what: "supplier code", value: wanted } },
      summary: `Would create a purchase order for ${
        named(supplier.supplierName, supplier.supplierCode)
      }.`,
      effects: [
        `Create ${name} as ${status}, for ${money(cost)} in all`,
        ...lines.map((line) =>
          `Order ${quantity(line.quantity)} of product ${shown(line.code)}${
            line.unit_price === null ? "" : ` at ${money(line.unit_price)}`
          }`
        ),
      ],
      current: reference === undefined
        ? "It would get a number from StockTrim"
        : "There is no purchase order with this reference",
      alternatives: [`See those there are: ${ORDER_LIST}`],
    };
  },
  async execute(ctx, input, { supplier_code, supplier_name, status, lines }) {
    const { purchaseOrders } = await service(ctx, "execute");
    const { reference } = input;
    const outcome = await purchaseOrders.create({
      supplierCode: supplier_code,
      lines: lines.map((line) => ({
        productId: line.product_id,
        quantity: line.quantity,
        unitPrice: line.unit_price,
      })),
      status,
      orderDate: input.date ?? new Date(ctx.system.clock.now()).toISOString(),
      supplierName: supplier_name,
      locationCode: input.location,
      clientReferenceNumber: reference,
    });
    const saved = requireDone(
      outcome,
      reference === undefined ? ORDER_LIST : reader(ORDERS, reference),
    );
    const order = saved === null ? null : ORDERS.view(saved);
    return {
      data: {
        created: true,
        purchase_order: order,
        reference: order?.reference ?? reference ?? null,
      },
    };
  },
  render: ({ reference }) => ({
    summary: reference === null
      ? "Created a purchase order."
      : `Created purchase order ${shown(reference)}.`,
  }),
});

/** No more of what is recommended is shown one by one. */
const SHOWN = 10;

/** `amof stocktrim purchase-order generate`. */
export const generatePurchaseOrders: Mutation = mutation({
  ...SERVICE_COMMAND,
  name: "stocktrim_purchase_orders_generate",
  path: ["stocktrim", "purchase-order", "generate"],
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "generation", verb: "generate", will: "create draft purchase orders in StockTrim" },
  next: ["stocktrim_purchase_orders"],
  title: "Generate purchase orders",
  summary: "Let StockTrim make draft purchase orders of what its order plan recommends.",
  examples: ["stocktrim purchase-order generate --supplier ACME"],
  flags: { locations: "location", suppliers: "supplier" },
  input: (z) => ({
    search: word(z, "Only products that these words find").optional(),
    locations: z.array(word(z, "")).max(20).default([]).describe("Only for these, by code"),
    suppliers: z.array(word(z, "")).max(20).default([]).describe("Only from these, by code"),
  }),
  async preview(ctx, input) {
    const { rows, complete } = await planRows(await service(ctx, "preview"), input);
    const wanted = rows.filter(({ orderQuantity }) => (orderQuantity ?? 0) > 0);
    const cost = total(wanted.map(({ orderQuantity, skuCost }) => amount(orderQuantity, skuCost)));
    const lines = wanted.map(({ productCode, locationName, orderQuantity }) =>
      `Order ${quantity(orderQuantity)} of product ${shown(productCode)}${
        locationName === null ? "" : ` for ${shown(locationName)}`
      }`
    ).toSorted();
    const nothing = wanted.length === 0;
    return {
      facts: {
        items: wanted.length,
        estimated_cost: cost,
        complete,
        plan_sha256: sha256(lines.join("\n")),
      },
      subject: {
        name: "draft purchase orders",
        typed: { what: "word generate", value: "generate" },
      },
      summary: nothing
        ? "Would generate no purchase orders: nothing is recommended."
        : `Would generate draft purchase orders for ${count(wanted.length, "item")}.`,
      effects: [
        ...(nothing
          ? ["Create nothing"]
          : [`Create draft purchase orders for about ${money(cost)} in all`]),
        ...lines.slice(0, SHOWN),
        ...(lines.length > SHOWN ? [`Order ${lines.length - SHOWN} more`] : []),
        ...(complete ? [] : ["Order what stands on further pages of the plan, too"]),
      ],
      current: `The order plan recommends ${count(wanted.length, "item")}`,
      alternatives: ["Look at the plan first: amof stocktrim order-plan"],
      ...(nothing && complete ? { settled: { data: { purchase_orders: [] } } } : {}),
    };
  },
  async execute(ctx, { search, locations, suppliers }) {
    const { purchaseOrders } = await service(ctx, "execute");
    const outcome = await purchaseOrders.generate({
      currentStatus: "Current",
      searchString: search,
      locationCodes: locations.length === 0 ? undefined : locations,
      supplierCodes: suppliers.length === 0 ? undefined : suppliers,
    });
    const orders = requireDone(outcome, `${ORDER_LIST} --status Draft`) ?? [];
    return { data: { purchase_orders: orders.map(ORDERS.view) } };
  },
  render: ({ purchase_orders: orders }: { readonly purchase_orders: readonly OrderView[] }) => ({
    summary: orders.length === 0
      ? "Created no purchase orders."
      : `Created ${count(orders.length, "draft purchase order")}.`,
    details: orders.map((order) =>
      `${shown(order.reference, "without a reference")}: ${
        shown(order.supplier_name ?? order.supplier_code)
      }, ${count(order.lines.length, "item")}, ${money(order.total_cost)}`
    ),
  }),
});

/** `amof stocktrim purchase-order delete`. */
export const deletePurchaseOrder: Mutation = deleting(
  {
    name: "stocktrim_purchase_order_delete",
    path: ["stocktrim", "purchase-order", "delete"],
    confirm: "simple",
    will: "delete a purchase order from StockTrim for good",
    next: ["stocktrim_purchase_orders"],
    title: "Delete purchase order",
    summary:
      "Delete a StockTrim purchase order for good, after a person has agreed, and verify it.",
    examples: ["stocktrim purchase-order delete PO-1001"],
  },
  ORDERS.argument,
  {
    async preview(stocktrim, reference) {
      const order = ORDERS.view(await required(ORDERS, stocktrim, reference));
      const key = order.reference;
      if (key === null) throw notFound("purchase order", reference, ORDER_LIST);
      const name = `purchase order ${shown(key)}`;
      return {
        facts: { key, purchase_order: order },
        subject: { name, typed: { what: "reference", value: key } },
        summary: `Would delete ${name}.`,
        effects: [`Delete ${name} with its ${order.lines.length} lines from StockTrim`],
        details: ORDERS.lines(order),
        irreversible: "The purchase order is deleted for good; this cannot be undone",
        current: `The purchase order is ${shown(order.status)}`,
        alternatives: [`See all of it first: ${reader(ORDERS, key)}`],
      };
    },
    target: ({ key }) => ({
      key,
      what: `purchase order ${shown(key)}`,
      reader: reader(ORDERS, key),
    }),
    send: ({ purchaseOrders }, key) => purchaseOrders.delete(key),
    stands: async ({ purchaseOrders }, key) => await purchaseOrders.get(key) !== null,
    answered: ({ purchase_order }) => ({ purchase_order }),
    done: ({ purchase_order: order }) =>
      `Purchase order ${shown(order.reference)} deleted successfully.`,
  },
);
