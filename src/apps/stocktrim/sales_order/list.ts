/**
 * `amof stocktrim sales-order list`: sales orders of a product, or all of them (STOCKTRIM-3).
 *
 * @module
 */

import { query } from "../../../contract/mod.ts";
import { blocks } from "../../../base/text/parts.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { requireProduct } from "../product/find.ts";
import { service } from "../service.ts";
import { day, money, quantity, shown } from "../shown.ts";
import {
  type SalesOrderView,
  salesOrderView,
  type SalesTotals,
  totalsLines,
  totalsOf,
} from "./view.ts";

interface ListData {
  readonly product_id: string | null;
  readonly totals: SalesTotals;
  readonly sales_orders: readonly SalesOrderView[];
}

/** `amof stocktrim sales-order list`. */
export const listSalesOrders = query({
  ...STOCKTRIM,
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
  input: (z) =>
    z.strictObject({
      product: word(z, "Exact code or id of a product; all when absent").optional(),
    }),
  async run(ctx, { product }) {
    const stocktrim = await service(ctx);
    const id = product === undefined
      ? undefined
      : (await requireProduct(stocktrim, product)).productId;
    const orders = (await stocktrim.salesOrders.list(id)).map(salesOrderView);
    return { data: { product_id: id ?? null, totals: totalsOf(orders), sales_orders: orders } };
  },
  render: ({ totals, sales_orders: orders }: ListData) => ({
    summary: `Found ${count(totals.orders, "sales order")}.`,
    details: blocks(
      totalsLines(totals),
      table(
        ["date", "product", "quantity", "unit price", "customer", "reference"],
        orders.map((order) => [
          day(order.order_date),
          shown(order.product_id, ""),
          quantity(order.quantity),
          money(order.unit_price),
          shown(order.customer_name ?? order.customer_code, ""),
          shown(order.external_reference_id, ""),
        ]),
      ),
    ),
  }),
});
