/**
 * A product as answers show it.
 *
 * @module
 */

import type { Product } from "../client/records.ts";
import { count } from "../../../base/text/words.ts";
import { money, named, quantity, shown } from "../shown.ts";

/** A product as answers show it; null is what the service does not say. */
export interface ProductView {
  /** What deleting, stock and orders go by. */
  readonly product_id: string;
  /** What people call it. */
  readonly code: string;
  readonly name: string | null;
  readonly category: string | null;
  readonly discontinued: boolean;
  readonly unstocked: boolean;
  readonly ignore_seasonality: boolean;
  readonly cost: number | null;
  readonly price: number | null;
  readonly stock_on_hand: number | null;
  readonly stock_on_order: number | null;
  readonly lead_time_days: number | null;
  readonly forecast_period_days: number | null;
  /** From 0 to 100. */
  readonly service_level_percent: number | null;
  readonly minimum_order_quantity: number | null;
  readonly supplier_code: string | null;
  readonly suppliers: readonly {
    readonly supplier_id: string;
    readonly name: string | null;
    readonly supplier_product_code: string | null;
  }[];
  readonly locations: readonly {
    readonly code: string;
    readonly name: string | null;
    readonly stock_on_hand: number | null;
    readonly stock_on_order: number | null;
  }[];
}

/** A share as percent, without the noise of binary fractions. */
function percent(share: number | null): number | null {
  return share === null ? null : Math.round(share * 10_000) / 100;
}

/** A product as answers show it. */
export function productView(product: Product): ProductView {
  return {
    product_id: product.productId,
    code: product.code,
    name: product.name,
    category: product.category,
    discontinued: product.discontinued,
    unstocked: product.unstocked,
    ignore_seasonality: product.ignoreSeasonality,
    cost: product.cost,
    price: product.price,
    stock_on_hand: product.stockOnHand,
    stock_on_order: product.stockOnOrder,
    lead_time_days: product.leadTime,
    forecast_period_days: product.forecastPeriod,
    service_level_percent: percent(product.serviceLevel),
    minimum_order_quantity: product.minimumOrderQuantity,
    supplier_code: product.supplierCode,
    suppliers: product.suppliers.map((supplier) => ({
      supplier_id: supplier.supplierId,
      name: supplier.supplierName,
      supplier_product_code: supplier.supplierSkuCode,
    })),
    locations: product.stockLocations.map((location) => ({
      code: location.locationCode,
      name: location.locationName,
      stock_on_hand: location.stockOnHand,
      stock_on_order: location.stockOnOrder,
    })),
  };
}

/** Whether it is sold, with the sign that tells it at a glance. */
export function statusOf({ discontinued }: Pick<ProductView, "discontinued">): string {
  return discontinued ? "🔴 Discontinued" : "🟢 Active";
}

/** A product in a few lines, for an answer or a question about it. */
export function productLines(product: ProductView): readonly string[] {
  const { suppliers, locations } = product;
  const from = suppliers.length > 0
    ? suppliers.slice(0, 3).map(({ name, supplier_id }) => named(name, supplier_id)).join(", ") +
      (suppliers.length > 3 ? ` and ${suppliers.length - 3} more` : "")
    : shown(product.supplier_code, "none");
  return [
    `Name: ${shown(product.name, "Unnamed Product")}`,
    `Code: ${shown(product.code)}${
      product.code === product.product_id ? "" : ` (id ${shown(product.product_id)})`
    }`,
    `Status: ${statusOf(product)}${product.unstocked ? ", not stocked" : ""}`,
    `💰 Cost: ${money(product.cost)}`,
    `Stock: ${quantity(product.stock_on_hand)} on hand, ${
      quantity(product.stock_on_order)
    } on order${locations.length === 0 ? "" : `, at ${count(locations.length, "location")}`}`,
    `Suppliers: ${from}`,
  ];
}
