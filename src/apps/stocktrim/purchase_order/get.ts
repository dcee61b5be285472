/**
 * `amof stocktrim purchase-order get`: one purchase order (STOCKTRIM-3).
 *
 * @module
 */

import { query } from "../../../contract/mod.ts";
import { blocks } from "../../../base/text/parts.ts";
import { table } from "../../../base/text/table.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { service } from "../service.ts";
import { money, quantity, shown } from "../shown.ts";
import { requireOrder } from "./find.ts";
import { orderLines, orderView, type PurchaseOrderView } from "./view.ts";

interface GetData {
  readonly purchase_order: PurchaseOrderView;
}

/** `amof stocktrim purchase-order get`. */
export const getPurchaseOrder = query({
  ...STOCKTRIM,
  name: "stocktrim_purchase_order_get",
  path: ["stocktrim", "purchase-order", "get"],
  next: ["stocktrim_purchase_orders"],
  title: "Get purchase order",
  summary: "Show a StockTrim purchase order by its reference, with its lines and total cost.",
  positionals: ["reference"],
  examples: ["stocktrim purchase-order get PO-1001"],
  input: (z) => z.strictObject({ reference: word(z, "Its reference number, or the client's") }),
  async run(ctx, input) {
    const order = await requireOrder(await service(ctx), input.reference);
    return { data: { purchase_order: orderView(order) } };
  },
  render: ({ purchase_order: order }: GetData) => ({
    summary: `Found purchase order ${shown(order.reference)}.`,
    details: blocks(
      orderLines(order),
      order.lines.length === 0 ? null : table(
        ["product", "quantity", "unit price"],
        order.lines.map((line) => [
          shown(line.product_id),
          quantity(line.quantity),
          money(line.unit_price),
        ]),
      ),
    ),
  }),
});
