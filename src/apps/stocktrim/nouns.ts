/** The nouns of StockTrim that have a code: how each is looked up, and what answers and questions show of it. */

import { count } from "../../base/text/words.ts";
import type { Product, PurchaseOrder, Supplier } from "./client/records.ts";
import { type Noun, renamed } from "./declare.ts";
import { amount, day, money, named, quantity, shown, total } from "./shown.ts";

/** A product as answers show it, by the names of the service. */
export const PRODUCT = {
  product_id: "productId",
  code: "code",
  name: "name",
  category: "category",
  discontinued: "discontinued",
  unstocked: "unstocked",
  ignore_seasonality: "ignoreSeasonality",
  cost: "cost",
  price: "price",
  stock_on_hand: "stockOnHand",
  stock_on_order: "stockOnOrder",
  lead_time_days: "leadTime",
  forecast_period_days: "forecastPeriod",
  /** From 0 to 100 in answers. */
  service_level_percent: "serviceLevel",
  minimum_order_quantity: "minimumOrderQuantity",
  supplier_code: "supplierCode",
} as const;

/** A product as answers show it; null is what the service does not say. */
export type ProductView = ReturnType<typeof productView>;

function productView(product: Product) {
  const { serviceLevel: level } = product;
  return {
    ...renamed(product, PRODUCT),
    // Without the noise of binary fractions.
    service_level_percent: level === null ? null : Math.round(level * 10_000) / 100,
    suppliers: product.suppliers.map((supplier) =>
      renamed(supplier, {
        supplier_id: "supplierId",
        name: "supplierName",
        supplier_product_code: "supplierSkuCode",
      })
    ),
    locations: product.stockLocations.map((location) =>
      renamed(location, {
        code: "locationCode",
        name: "locationName",
        stock_on_hand: "stockOnHand",
        stock_on_order: "stockOnOrder",
      })
    ),
  };
}

/** What a product is called and whether it is sold, in a few lines for an answer or a question about it. */
export function headLines(
  product: Pick<Product, "productId" | "code" | "name" | "discontinued">,
): [name: string, code: string, status: string] {
  const { productId: id, code, name, discontinued } = product;
  return [
    `Name: ${shown(name, "Unnamed Product")}`,
    `Code: ${shown(code)}${code === id ? "" : ` (id ${shown(id)})`}`,
    `Status: ${discontinued ? "🔴 Discontinued" : "🟢 Active"}`,
  ];
}

function productLines(product: ProductView): readonly string[] {
  const { suppliers, locations, unstocked } = product;
  const from = suppliers.length > 0
    ? suppliers.slice(0, 3).map(({ name, supplier_id }) => named(name, supplier_id)).join(", ") +
      (suppliers.length > 3 ? ` and ${suppliers.length - 3} more` : "")
    : shown(product.supplier_code, "none");
  const [name, code, status] = headLines({ ...product, productId: product.product_id });
  return [
    name,
    code,
    `${status}${unstocked ? ", not stocked" : ""}`,
    `💰 Cost: ${money(product.cost)}`,
    `Stock: ${quantity(product.stock_on_hand)} on hand, ${
      quantity(product.stock_on_order)
    } on order${locations.length === 0 ? "" : `, at ${count(locations.length, "location")}`}`,
    `Suppliers: ${from}`,
  ];
}

/** Products, by their code or id. */
export const PRODUCTS: Noun<Product, ProductView> = {
  what: "product",
  argument: ["code", "Exact code or id of the product"],
  lists: "search",
  get: (stocktrim, code) => stocktrim.products.get(code),
  view: productView,
  lines: productLines,
};

/** A supplier as answers show it, by the names of the service. */
export const SUPPLIER = {
  code: "supplierCode",
  name: "supplierName",
  email: "emailAddress",
  primary_contact: "primaryContactName",
  default_lead_time_days: "defaultLeadTime",
  street_address: "streetAddress",
  address_line_1: "addressLine1",
  address_line_2: "addressLine2",
  state: "state",
  country: "country",
  post_code: "postCode",
} as const;

type SupplierView = ReturnType<typeof supplierView>;

const supplierView = (supplier: Supplier) => renamed(supplier, SUPPLIER);

function supplierLines(supplier: SupplierView): readonly string[] {
  const days = supplier.default_lead_time_days;
  return [
    `Name: ${shown(supplier.name, "Unnamed Supplier")}`,
    `Code: ${shown(supplier.code, "none")}`,
    `Contact: ${shown(supplier.primary_contact ?? supplier.email, "No contact")}`,
    `Lead time: ${days === null ? "unknown" : `${days} days`}`,
  ];
}

/** Suppliers, by their code, or by their name where they have none. */
export const SUPPLIERS: Noun<Supplier, SupplierView> = {
  what: "supplier",
  argument: ["code", "Exact code of the supplier"],
  lists: "list",
  get: (stocktrim, code) => stocktrim.suppliers.get(code),
  view: supplierView,
  lines: supplierLines,
};

/** A purchase order as answers show it; null is what the service does not say. */
export type OrderView = ReturnType<typeof orderView>;

function orderView(order: PurchaseOrder) {
  return {
    ...renamed(order, {
      id: "id",
      reference: "reference",
      reference_number: "referenceNumber",
      client_reference_number: "clientReferenceNumber",
      status: "status",
      supplier_code: "supplierCode",
      supplier_name: "supplierName",
      location_code: "locationCode",
      order_date: "orderDate",
    }),
    // Over the lines whose price is known; null where none is.
    total_cost: total(
      order.lines.map(({ quantity, unitPrice }) => amount(quantity, unitPrice)),
    ),
    lines: order.lines.map((line) =>
      renamed(line, { product_id: "productId", quantity: "quantity", unit_price: "unitPrice" })
    ),
  };
}

function orderLines(order: OrderView): readonly string[] {
  const { status } = order;
  return [
    `Reference: ${shown(order.reference, "none")}`,
    `Supplier: ${named(order.supplier_name, order.supplier_code)}`,
    // What is received has ended.
    `Status: ${status === null ? "unknown" : `${status === "Received" ? "🔴" : "🟢"} ${status}`}`,
    `💰 Total cost: ${money(order.total_cost)}`,
    `Items: ${count(order.lines.length, "item")}`,
    `Ordered: ${day(order.order_date)}`,
  ];
}

/** Purchase orders, by their reference. */
export const ORDERS: Noun<PurchaseOrder, OrderView> = {
  what: "purchase order",
  argument: ["reference", "Its reference number, or the client's"],
  lists: "list",
  get: (stocktrim, reference) => stocktrim.purchaseOrders.get(reference),
  view: orderView,
  lines: orderLines,
};
