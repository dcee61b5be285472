/**
 * A purchase order as answers show it.
 *
 * @module
 */

import type { PurchaseOrder } from "../client/records.ts";
import { count } from "../../../base/text/words.ts";
import { day, money, named, shown, total } from "../shown.ts";

/** A purchase order as answers show it; null is what the service does not say. */
export interface PurchaseOrderView {
  readonly id: number | null;
  readonly reference: string | null;
  readonly reference_number: string | null;
  readonly client_reference_number: string | null;
  readonly status: string | null;
  readonly supplier_code: string | null;
  readonly supplier_name: string | null;
  readonly location_code: string | null;
  readonly order_date: string | null;
  /** The sum over the lines whose price is known; null where none is. */
  readonly total_cost: number | null;
  readonly lines: readonly {
    readonly product_id: string | null;
    readonly quantity: number | null;
    readonly unit_price: number | null;
  }[];
}

/** A purchase order as answers show it. */
export function orderView(order: PurchaseOrder): PurchaseOrderView {
  return {
    id: order.id,
    reference: order.reference,
    reference_number: order.referenceNumber,
    client_reference_number: order.clientReferenceNumber,
    status: order.status,
    supplier_code: order.supplierCode,
    supplier_name: order.supplierName,
    location_code: order.locationCode,
    order_date: order.orderDate,
    total_cost: total(
      order.lines.map(({ quantity, unitPrice }) =>
        quantity === null || unitPrice === null ? null : quantity * unitPrice
      ),
    ),
    lines: order.lines.map(({ productId, quantity, unitPrice }) => ({
      product_id: productId,
      quantity,
      unit_price: unitPrice,
    })),
  };
}

/** A status with the sign that tells it at a glance: what is received has ended. */
function signed(status: string | null): string {
  return status === null ? "unknown" : `${status === "Received" ? "🔴" : "🟢"} ${status}`;
}

/** A purchase order in a few lines, for an answer or a question about it. */
export function orderLines(order: PurchaseOrderView): readonly string[] {
  return [
    `Reference: ${shown(order.reference, "none")}`,
    `Supplier: ${named(order.supplier_name, order.supplier_code)}`,
    `Status: ${signed(order.status)}`,
    `💰 Total cost: ${money(order.total_cost)}`,
    `Items: ${count(order.lines.length, "item")}`,
    `Ordered: ${day(order.order_date)}`,
  ];
}
