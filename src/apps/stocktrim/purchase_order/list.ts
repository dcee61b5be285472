/**
 * `amof stocktrim purchase-order list`: purchase orders by status, page by page (STOCKTRIM-3).
 *
 * @module
 */

import { query } from "../../../contract/mod.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { STATUSES, STOCKTRIM, word } from "../declare.ts";
import { service } from "../service.ts";
import { day, money, named, shown } from "../shown.ts";
import { orderView, type PurchaseOrderView } from "./view.ts";

type ListedOrder = Omit<PurchaseOrderView, "lines"> & { readonly line_count: number };

interface ListData {
  readonly purchase_orders: readonly ListedOrder[];
  readonly page: number;
  /** To give as `page`; null behind the last one. */
  readonly next_page: number | null;
}

/** Orders on one page. */
const PER_PAGE = 50;

function listed({ lines, ...order }: PurchaseOrderView): ListedOrder {
  return { ...order, line_count: lines.length };
}

/** `amof stocktrim purchase-order list`. */
export const listPurchaseOrders = query({
  ...STOCKTRIM,
  name: "stocktrim_purchase_orders_list",
  path: ["stocktrim", "purchase-order", "list"],
  next: ["stocktrim_suppliers", "stocktrim_order_plan"],
  title: "List purchase orders",
  summary:
    "List StockTrim purchase orders page by page, by status and supplier; next_page goes on.",
  examples: ["stocktrim purchase-order list --status Draft"],
  pages: { member: "purchase_orders", key: ["id", "reference"] },
  input: (z) =>
    z.strictObject({
      status: z.enum(STATUSES).optional().describe("Only those"),
      supplier: word(z, "Only those of this supplier, by exact code or name").optional(),
      page: z.int().min(0).max(100_000).default(0).describe("Page, from 0; each is filtered"),
    }),
  async run(ctx, { status, supplier, page }) {
    const { purchaseOrders } = await service(ctx);
    const found = await purchaseOrders.page({
      page,
      pageSize: PER_PAGE,
      ...(status === undefined ? {} : { status }),
    });
    const orders = found.items.map(orderView).filter((order) =>
      supplier === undefined || [order.supplier_code, order.supplier_name].includes(supplier)
    );
    return {
      data: {
        purchase_orders: orders.map(listed),
        page,
        next_page: found.more ? page + 1 : null,
      },
    };
  },
  render: ({ purchase_orders: orders, page, next_page: next }: ListData) => ({
    summary: `Found ${count(orders.length, "purchase order")}${
      page === 0 && next === null ? "" : ` on page ${page}`
    }${next === null ? "" : `; more on page ${next}`}.`,
    details: table(
      ["reference", "status", "supplier", "ordered", "items", "cost"],
      orders.map((order) => [
        shown(order.reference, ""),
        shown(order.status, ""),
        named(order.supplier_name, order.supplier_code),
        day(order.order_date),
        order.line_count,
        money(order.total_cost),
      ]),
    ),
  }),
});
