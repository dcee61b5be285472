/**
 * `amof stocktrim sales-order delete`: all sales orders of one product for good (STOCKTRIM-5).
 *
 * @module
 */

import { sha256 } from "../../../base/hash.ts";
import { type CommandContext, mutation, type Preview } from "../../../contract/mod.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { deleteVerified, notFound } from "../ended.ts";
import { requireProduct } from "../product/find.ts";
import { statusOf } from "../product/view.ts";
import { forDeed, forPreview } from "../service.ts";
import { shown } from "../shown.ts";
import { SALES_LIST, salesReader } from "./find.ts";
import { salesOrderView, type SalesTotals, totalsLines, totalsOf } from "./view.ts";

interface DeleteFacts {
  readonly product_id: string;
  readonly code: string;
  readonly name: string | null;
  readonly discontinued: boolean;
  readonly totals: SalesTotals;
  /** Of all of the orders, so that none can change unseen. */
  readonly orders_sha256: string;
}

interface DeleteData {
  readonly deleted: boolean;
  readonly verified: boolean;
  readonly product_id: string;
  readonly code: string;
  readonly totals: SalesTotals;
}

async function look(ctx: CommandContext, code: string): Promise<Preview<DeleteFacts, DeleteData>> {
  const stocktrim = await forPreview(ctx);
  const product = await requireProduct(stocktrim, code);
  const orders = (await stocktrim.salesOrders.list(product.productId)).map(salesOrderView);
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
      // The service lists them in no order that it promises.
      orders_sha256: sha256(orders.map((order) => JSON.stringify(order)).toSorted().join("\n")),
    },
    subject: { name, typed: { what: "product code", value: product.code } },
    summary: `Would delete all ${totals.orders} ${name}.`,
    effects: [`Delete all ${totals.orders} ${name} from StockTrim`],
    details: [
      `Name: ${shown(product.name, "Unnamed Product")}`,
      `Code: ${shown(product.code)}${
        product.code === product.productId ? "" : ` (id ${shown(product.productId)})`
      }`,
      `Status: ${statusOf(product)}`,
      ...totalsLines(totals),
    ],
    irreversible:
      "All sales orders of this product are deleted for good, and its forecast loses their history; this cannot be undone",
    current: `The product has ${totals.orders} sales orders`,
    alternatives: [`See them first: ${salesReader(product.productId)}`],
  };
}

/** `amof stocktrim sales-order delete`. */
export const deleteSalesOrders = mutation({
  ...STOCKTRIM,
  name: "stocktrim_sales_orders_delete",
  path: ["stocktrim", "sales-order", "delete"],
  safety: "dangerous-write",
  confirm: "type",
  byPerson: true,
  asks: {
    deed: "deletion",
    verb: "delete",
    will: "delete all sales orders of a product from StockTrim for good",
  },
  next: ["stocktrim_products"],
  title: "Delete sales orders",
  summary: "Delete all StockTrim sales orders of one product for good, after its code was typed.",
  positionals: ["product"],
  examples: ["stocktrim sales-order delete WIDGET-1"],
  input: (z) => z.strictObject({ product: word(z, "Exact code or id of the product they are of") }),
  preview: (ctx, input) => look(ctx, input.product),
  async execute(ctx, _input, { product_id: id, code, totals }) {
    const { salesOrders } = await forDeed(ctx);
    await deleteVerified({
      what: `the sales orders of product ${shown(code)}`,
      reader: salesReader(id),
      send: () => salesOrders.deleteOfProduct(id),
      stands: async () => (await salesOrders.list(id)).length > 0,
    });
    return { data: { deleted: true, verified: true, product_id: id, code, totals } };
  },
  render: ({ code, totals }: DeleteData) => ({
    summary: `Sales orders of product ${shown(code)} deleted successfully (${totals.orders}).`,
  }),
});
