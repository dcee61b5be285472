/**
 * Sales orders as answers show them.
 *
 * @module
 */

import type { SalesOrder } from "../client/records.ts";
import { count } from "../../../base/text/words.ts";
import { money, quantity, total } from "../shown.ts";

/** A sales order as answers show it; null is what the service does not say. */
export interface SalesOrderView {
  readonly id: number | null;
  readonly product_id: string | null;
  readonly order_date: string | null;
  readonly quantity: number | null;
  readonly unit_price: number | null;
  readonly external_reference_id: string | null;
  readonly location_code: string | null;
  readonly customer_code: string | null;
  readonly customer_name: string | null;
}

/** What many sales orders come to; null is what the service does not say. */
export interface SalesTotals {
  readonly orders: number;
  readonly quantity: number | null;
  /** Of the orders whose price is known. */
  readonly revenue: number | null;
  /** How many different ones are named. */
  readonly customers: number;
}

/** A sales order as answers show it. */
export function salesOrderView(order: SalesOrder): SalesOrderView {
  return {
    id: order.id,
    product_id: order.productId,
    order_date: order.orderDate,
    quantity: order.quantity,
    unit_price: order.unitPrice,
    external_reference_id: order.externalReferenceId,
    location_code: order.locationCode,
    customer_code: order.customerCode,
    customer_name: order.customerName,
  };
}

/** What they come to. */
export function totalsOf(orders: readonly SalesOrderView[]): SalesTotals {
  const customers = orders.map((order) => order.customer_code ?? order.customer_name)
    .filter((name) => name !== null);
  return {
    orders: orders.length,
    quantity: total(orders.map((order) => order.quantity)),
    revenue: total(
      orders.map((order) =>
        order.quantity === null || order.unit_price === null
          ? null
          : order.quantity * order.unit_price
      ),
    ),
    customers: new Set(customers).size,
  };
}

/** What they come to in a few lines, for an answer or a question about them. */
export function totalsLines(totals: SalesTotals): readonly string[] {
  return [
    `Orders: ${totals.orders}`,
    `Total quantity: ${quantity(totals.quantity)}`,
    `Customers: ${
      totals.customers === 0 ? "No customer data" : count(totals.customers, "customer")
    }`,
    `💰 Total revenue: ${money(totals.revenue)}`,
  ];
}
