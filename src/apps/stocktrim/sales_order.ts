/**
 * `amof stocktrim sales-order`: what was sold (STOCKTRIM-3). One that exists is never written over (STOCKTRIM-7); all of
 * a product are deleted for good (STOCKTRIM-5).
 */

import { sha256 } from "../../base/hash.ts";
import { blocks } from "../../base/text/parts.ts";
import { count, shellWord } from "../../base/text/words.ts";
import { type Mutation, mutation, type Query, query } from "../../contract/mod.ts";
import type { SalesOrder } from "./client/records.ts";
import {
  alreadyThere,
  creating,
  deleting,
  isoDay,
  notFound,
  renamed,
  required,
  requireDone,
  rowsOf,
  service,
  SERVICE_COMMAND,
  word,
} from "./declare.ts";
import { headLines, PRODUCTS } from "./nouns.ts";
import { amount, day, money, quantity, shown, total } from "./shown.ts";

/** The command that lists sales orders. */
const SALES_LIST = "amof stocktrim sales-order list";

/** The command that lists the sales orders of one product. */
function salesReader(product: string): string {
  return `${SALES_LIST} --product ${shellWord(shown(product))}`;
}

const view = (order: SalesOrder) =>
  renamed(order, {
    id: "id",
    product_id: "productId",
    order_date: "orderDate",
    quantity: "quantity",
    unit_price: "unitPrice",
    external_reference_id: "externalReferenceId",
    location_code: "locationCode",
    customer_code: "customerCode",
    customer_name: "customerName",
  });

/** What many sales orders come to; null is what the service does not say. */
interface SalesTotals {
  readonly orders: number;
  readonly quantity: number | null;
  /** Of the orders whose price is known. */
  readonly revenue: number | null;
  /** How many different ones are named. */
  readonly customers: number;
}

function totalsOf(orders: readonly ReturnType<typeof view>[]): SalesTotals {
  const customers = orders.map((order) => order.customer_code ?? order.customer_name)
    .filter((name) => name !== null);
  return {
    orders: orders.length,
    quantity: total(orders.map((order) => order.quantity)),
    revenue: total(orders.map((order) => amount(order.quantity, order.unit_price))),
    customers: new Set(customers).size,
  };
}

/** What they come to in a few lines, for an answer or a question about them. */
function totalsLines(totals: SalesTotals): readonly string[] {
  return [
    `Orders: ${totals.orders}`,
    `Total quantity: ${quantity(totals.quantity)}`,
    `Customers: ${
      totals.customers === 0 ? "No customer data" : count(totals.customers, "customer")
    }`,
    `💰 Total revenue: ${money(totals.revenue)}`,
  ];
}

/** `amof stocktrim sales-order list`. */
export const listSalesOrders: Query = query({
  ...SERVICE_COMMAND,
  name: "stocktrim_sales_orders_list",
  path: ["stocktrim", "sales-order", "list"],
  next: ["stocktrim_products", "stocktrim_order_plan"],
  title: "List sales orders",
  summary: "List StockTrim sales orders, of one product or of all, with what they come to.",
  examples: ["stocktrim sales-order list --product WIDGET-1"],
  pages: {
    member: "sales_orders",
    key: ["id", "external_reference_id", "product_id", "order_date"],
  },
  input: (z) => ({
    product: word(z, "Exact code or id of a product; all when absent").optional(),
  }),
  async run(ctx, { product }) {
    const stocktrim = await service(ctx);
    const id = product === undefined
      ? undefined
      : (await required(PRODUCTS, stocktrim, product)).productId;
    const orders = (await stocktrim.salesOrders.list(id)).map(view);
    return { data: { product_id: id ?? null, totals: totalsOf(orders), sales_orders: orders } };
  },
  render: ({ totals, sales_orders: orders }) => ({
    summary: `Found ${count(totals.orders, "sales order")}.`,
    details: blocks(
      totalsLines(totals),
      rowsOf(orders, {
        date: (order) => day(order.order_date),
        product: (order) => shown(order.product_id, ""),
        quantity: (order) => quantity(order.quantity),
        "unit price": (order) => money(order.unit_price),
        customer: (order) => shown(order.customer_name ?? order.customer_code, ""),
        reference: (order) => shown(order.external_reference_id, ""),
      }),
    ),
  }),
});

/** `amof stocktrim sales-order create`. */
export const createSalesOrder: Mutation = mutation({
  ...creating("sales order"),
  name: "stocktrim_sales_order_create",
  path: ["stocktrim", "sales-order", "create"],
  next: ["stocktrim_products"],
  title: "Create sales order",
  summary: "Create a StockTrim sales order of one product; never writes over one.",
  positionals: ["product", "quantity"],
  examples: ["stocktrim sales-order create WIDGET-1 3 --date 2026-11-20 --reference SO-77"],
  input: (z) => ({
    product: word(z, "Exact code or id of the product"),
    quantity: z.number().gt(0).describe("How many were sold"),
    date: isoDay(z).describe("Day of the sale, ISO 8601"),
    unit_price: z.number().min(0).optional().describe("Price of one"),
    reference: word(z, "Your own reference for it").optional(),
    location: word(z, "Code of the location it is from").optional(),
    customer: word(z, "Code of the customer").optional(),
  }),
  async preview(ctx, input) {
    const stocktrim = await service(ctx, "preview");
    const product = await required(PRODUCTS, stocktrim, input.product);
    const { productId: id, code } = product;
    if (input.reference !== undefined) {
      const there = await stocktrim.salesOrders.list(id);
      if (there.some((order) => order.externalReferenceId === input.reference)) {
        throw alreadyThere(
          "sales order",
          input.reference,
          `See it: ${salesReader(id)}\nTake another one: the same command with --reference NAME`,
        );
      }
    }
    return {
      facts: { product_id: id, code, name: product.name },
      subject: {
        name: `sales order of product ${shown(code)}`,
        typed: { what: "product code", value: code },
      },
      summary: `Would create a sales order of product ${shown(code)}.`,
      effects: [
        `Sell ${quantity(input.quantity)} of product ${shown(code)} on ${shown(input.date)}${
          input.unit_price === undefined ? "" : ` at ${money(input.unit_price)}`
        }`,
      ],
      irreversible: "A single sales order cannot be deleted again, only all of a product",
      current: `The product "${shown(product.name, "Unnamed Product")}" is stored`,
      alternatives: [`See its sales orders: ${salesReader(id)}`],
    };
  },
  async execute(ctx, input, { product_id: id, code }) {
    const { salesOrders } = await service(ctx, "execute");
    const outcome = await salesOrders.create({
      productId: id,
      orderDate: input.date,
      quantity: input.quantity,
      unitPrice: input.unit_price,
      externalReferenceId: input.reference,
      locationCode: input.location,
      customerCode: input.customer,
    });
    requireDone(outcome, salesReader(id));
    return {
      data: {
        created: true,
        product_id: id,
        code,
        quantity: input.quantity,
        reference: input.reference ?? null,
      },
    };
  },
  render: ({ code, quantity: pieces }) => ({
    summary: `Created a sales order of ${quantity(pieces)} of product ${shown(code)}.`,
  }),
});

/** `amof stocktrim sales-order delete`. */
export const deleteSalesOrders: Mutation = deleting(
  {
    name: "stocktrim_sales_orders_delete",
    path: ["stocktrim", "sales-order", "delete"],
    confirm: "type",
    will: "delete all sales orders of a product from StockTrim for good",
    next: ["stocktrim_products"],
    title: "Delete sales orders",
    summary: "Delete all StockTrim sales orders of one product for good, after its code was typed.",
    examples: ["stocktrim sales-order delete WIDGET-1"],
  },
  ["product", "Exact code or id of the product they are of"],
  {
    async preview(stocktrim, code) {
      const product = await required(PRODUCTS, stocktrim, code);
      const orders = (await stocktrim.salesOrders.list(product.productId)).map(view);
      if (orders.length === 0) throw notFound("sales orders of product", code, SALES_LIST);
      const totals = totalsOf(orders);
      const name = `sales orders of product ${shown(product.code)}`;
      return {
        facts: {
          product_id: product.productId,
          code: product.code,
          name: product.name,
          discontinued: product.discontinued,
          totals,
          // Of all of the orders, so that none can change unseen; the service lists them in no order that it promises.
          orders_sha256: sha256(orders.map((order) => JSON.stringify(order)).toSorted().join("\n")),
        },
        subject: { name, typed: { what: "product code", value: product.code } },
        summary: `Would delete all ${totals.orders} ${name}.`,
        effects: [`Delete all ${totals.orders} ${name} from StockTrim`],
        details: [...headLines(product), ...totalsLines(totals)],
        irreversible:
          "All sales orders of this product are deleted for good, and its forecast loses their history; this cannot be undone",
        current: `The product has ${totals.orders} sales orders`,
        alternatives: [`See them first: ${salesReader(product.productId)}`],
      };
    },
    target: ({ product_id: key, code }) => ({
      key,
      what: `the sales orders of product ${shown(code)}`,
      reader: salesReader(key),
    }),
    send: ({ salesOrders }, id) => salesOrders.deleteOfProduct(id),
    stands: async ({ salesOrders }, id) => (await salesOrders.list(id)).length > 0,
    answered: ({ product_id, code, totals }) => ({ product_id, code, totals }),
    done: ({ code, totals }) =>
      `Sales orders of product ${shown(code)} deleted successfully (${totals.orders}).`,
  },
);
