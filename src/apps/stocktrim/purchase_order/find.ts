/**
 * Looking a purchase order up by its reference.
 *
 * @module
 */

import { shellWord } from "../../../base/text/words.ts";
import type { StockTrim } from "../client/client.ts";
import type { PurchaseOrder } from "../client/records.ts";
import { notFound } from "../ended.ts";
import { shown } from "../shown.ts";

/** The command that lists purchase orders. */
export const ORDER_LIST = "amof stocktrim purchase-order list";

/** The command that tells how a purchase order stands. */
export function orderReader(reference: string): string {
  return `amof stocktrim purchase-order get ${shellWord(shown(reference))}`;
}

/** The order with this reference, the service's or the client's; throws `stocktrim_not_found`. */
export async function requireOrder(
  stocktrim: StockTrim,
  reference: string,
): Promise<PurchaseOrder> {
  const order = await stocktrim.purchaseOrders.get(reference);
  if (order === null) throw notFound("purchase order", reference, ORDER_LIST);
  return order;
}
