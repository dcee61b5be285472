/**
 * `amof stocktrim purchase-order delete`: a purchase order for good (STOCKTRIM-5).
 *
 * @module
 */

import { type CommandContext, mutation, type Preview } from "../../../contract/mod.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { deleteVerified, notFound } from "../ended.ts";
import { forDeed, forPreview } from "../service.ts";
import { shown } from "../shown.ts";
import { ORDER_LIST, orderReader, requireOrder } from "./find.ts";
import { orderLines, orderView, type PurchaseOrderView } from "./view.ts";

interface DeleteFacts {
  /** What the service is told to delete. */
  readonly key: string;
  readonly purchase_order: PurchaseOrderView;
}

interface DeleteData {
  readonly deleted: boolean;
  readonly verified: boolean;
  readonly purchase_order: PurchaseOrderView;
}

async function look(
  ctx: CommandContext,
  reference: string,
): Promise<Preview<DeleteFacts, DeleteData>> {
  const order = orderView(await requireOrder(await forPreview(ctx), reference));
  const key = order.reference;
  if (key === null) throw notFound("purchase order", reference, ORDER_LIST);
  const name = `purchase order ${shown(key)}`;
  return {
    facts: { key, purchase_order: order },
    subject: { name, typed: { what: "reference", value: key } },
    summary: `Would delete ${name}.`,
    effects: [`Delete ${name} with its ${order.lines.length} lines from StockTrim`],
    details: orderLines(order),
    irreversible: "The purchase order is deleted for good; this cannot be undone",
    current: `The purchase order is ${shown(order.status)}`,
    alternatives: [`See all of it first: ${orderReader(key)}`],
  };
}

/** `amof stocktrim purchase-order delete`. */
export const deletePurchaseOrder = mutation({
  ...STOCKTRIM,
  name: "stocktrim_purchase_order_delete",
  path: ["stocktrim", "purchase-order", "delete"],
  safety: "dangerous-write",
  confirm: "simple",
  byPerson: true,
  asks: {
    deed: "deletion",
    verb: "delete",
    will: "delete a purchase order from StockTrim for good",
  },
  next: ["stocktrim_purchase_orders"],
  title: "Delete purchase order",
  summary: "Delete a StockTrim purchase order for good, after a person has agreed, and verify it.",
  positionals: ["reference"],
  examples: ["stocktrim purchase-order delete PO-1001"],
  input: (z) => z.strictObject({ reference: word(z, "Its reference number, or the client's") }),
  preview: (ctx, input) => look(ctx, input.reference),
  async execute(ctx, _input, { key, purchase_order }) {
    const { purchaseOrders } = await forDeed(ctx);
    await deleteVerified({
      what: `purchase order ${shown(key)}`,
      reader: orderReader(key),
      send: () => purchaseOrders.delete(key),
      stands: async () => await purchaseOrders.get(key) !== null,
    });
    return { data: { deleted: true, verified: true, purchase_order } };
  },
  render: ({ purchase_order: order }: DeleteData) => ({
    summary: `Purchase order ${shown(order.reference)} deleted successfully.`,
  }),
});
