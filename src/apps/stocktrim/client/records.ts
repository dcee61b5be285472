/**
 * What the StockTrim service stores, read out of its answers. Names are those of the service, and whatever is
 * missing, null or of another type is null here. Texts are as they came: others wrote them, so they are cleaned
 * before a person reads them.
 */

import { type Fields, fieldsOf } from "../../../base/object.ts";
import { type PurchaseOrderStatus, rows, STATUSES } from "./oddities.ts";

type Texts<K extends string> = { readonly [name in K]: string | null };
/** Members that are numbers. */
type Numbers<K extends string> = { readonly [name in K]: number | null };
/** Members that are true or false. */
type Flags<K extends string> = { readonly [name in K]: boolean };

function text(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function number(value: unknown): number | null {
  if (typeof value === "string" && value.trim() !== "") return number(Number(value));
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function members<T>(row: Fields, names: readonly string[], read: (value: unknown) => T): unknown {
  return Object.fromEntries(names.map((name) => [name, read(row[name])]));
}

function texts<K extends string>(row: Fields, ...names: readonly K[]): Texts<K> {
  return members(row, names, text) as Texts<K>;
}

function numbers<K extends string>(row: Fields, ...names: readonly K[]): Numbers<K> {
  return members(row, names, number) as Numbers<K>;
}

/** What is neither true nor false is false. */
function flags<K extends string>(row: Fields, ...names: readonly K[]): Flags<K> {
  return members(row, names, (value) => value === true) as Flags<K>;
}

/** A supplier of a product. */
type ProductSupplier =
  & { readonly supplierId: string }
  & Texts<"supplierName" | "supplierSkuCode">;

/** A product; a lead time and a forecast period are days, a service level is from 0 to 1. */
export type Product =
  & {
    /** What deleting, stock and orders go by. */
    readonly productId: string;
    /** What people call it: `productCodeReadable`, or `productId` where there is none. */
    readonly code: string;
    readonly suppliers: readonly ProductSupplier[];
    readonly stockLocations: readonly (
      & { readonly locationCode: string }
      & Texts<"locationName">
      & Numbers<"stockOnHand" | "stockOnOrder">
    )[];
  }
  & Texts<"name" | "category" | "supplierCode">
  & Numbers<"serviceLevel" | "leadTime" | "forecastPeriod" | "minimumOrderQuantity">
  & Numbers<"stockOnHand" | "stockOnOrder" | "cost" | "price">
  & Flags<"discontinued" | "unstocked" | "ignoreSeasonality">;

/** A product; null without the id that everything goes by. */
export function product(value: unknown): Product | null {
  const row = fieldsOf(value);
  const productId = text(row["productId"]);
  if (productId === null) return null;
  return {
    productId,
    code: text(row["productCodeReadable"]) ?? productId,
    ...texts(row, "name", "category", "supplierCode"),
    ...numbers(row, "serviceLevel", "leadTime", "forecastPeriod", "minimumOrderQuantity"),
    ...numbers(row, "stockOnHand", "stockOnOrder", "cost", "price"),
    suppliers: rows(row["suppliers"]).flatMap((each) => {
      const supplierId = text(each["supplierId"]);
      return supplierId === null
        ? []
        : [{ supplierId, ...texts(each, "supplierName", "supplierSkuCode") }];
    }),
    stockLocations: rows(row["stockLocations"]).flatMap((each) => {
      const locationCode = text(each["locationCode"]);
      return locationCode === null ? [] : [{
        locationCode,
        ...texts(each, "locationName"),
        ...numbers(each, "stockOnHand", "stockOnOrder"),
      }];
    }),
    ...flags(row, "discontinued", "unstocked", "ignoreSeasonality"),
  };
}

const ADDRESS = [
  "streetAddress",
  "addressLine1",
  "addressLine2",
  "state",
  "country",
  "postCode",
] as const;

/** A customer. */
export type Customer =
  & { readonly code: string }
  & Texts<"name" | "emailAddress" | "phone" | "city" | typeof ADDRESS[number]>;

/** A customer; null without a code. */
export function customer(value: unknown): Customer | null {
  const row = fieldsOf(value);
  const code = text(row["code"]);
  return code === null
    ? null
    : { code, ...texts(row, "name", "emailAddress", "phone", "city", ...ADDRESS) };
}

/** A supplier; its lead time is days. */
export type Supplier =
  & Numbers<"id" | "defaultLeadTime">
  & Texts<"supplierCode" | "supplierName" | "emailAddress" | "primaryContactName">
  & Texts<typeof ADDRESS[number]>;

/** A supplier; null with neither code nor name. */
export function supplier(value: unknown): Supplier | null {
  const row = fieldsOf(value);
  const read: Supplier = {
    ...numbers(row, "id", "defaultLeadTime"),
    ...texts(row, "supplierCode", "supplierName", "emailAddress", "primaryContactName", ...ADDRESS),
  };
  return read.supplierCode === null && read.supplierName === null ? null : read;
}

/** A place where stock lies. */
export type Location = Texts<"locationCode" | "locationName">;

/** A location; null with neither code nor name. */
export function location(value: unknown): Location | null {
  const read = texts(fieldsOf(value), "locationCode", "locationName");
  return read.locationCode === null && read.locationName === null ? null : read;
}

/** A purchase order. Dates are as the service writes them, often without a zone. */
export type PurchaseOrder =
  & {
    /** What it is called: `referenceNumber`, or `clientReferenceNumber` where that is null. */
    readonly reference: string | null;
    /** Null where the service says something that is none of the four. */
    readonly status: PurchaseOrderStatus | null;
    readonly lines: readonly (Texts<"productId"> & Numbers<"quantity" | "unitPrice">)[];
  }
  & Numbers<"id">
  & Texts<"referenceNumber" | "clientReferenceNumber" | "orderDate">
  & Texts<"supplierCode" | "supplierName" | "locationCode">;

/** The status of a purchase order, which is a word, or for some time was its place in their order. */
function statusOf(value: unknown): PurchaseOrderStatus | null {
  if (typeof value === "number") return STATUSES[value] ?? null;
  if (typeof value !== "string") return null;
  if (/^[0-3]$/.test(value)) return STATUSES[Number(value)] ?? null;
  return STATUSES.find((status) => status.toLowerCase() === value.trim().toLowerCase()) ?? null;
}

/** A purchase order; null where nothing in it could be asked for. */
export function purchaseOrder(value: unknown): PurchaseOrder | null {
  const row = fieldsOf(value);
  const read = {
    ...numbers(row, "id"),
    ...texts(row, "referenceNumber", "clientReferenceNumber", "orderDate"),
  };
  const reference = read.referenceNumber ?? read.clientReferenceNumber;
  if (reference === null && read.id === null) return null;
  return {
    ...read,
    reference,
    status: statusOf(row["status"]),
    ...texts(fieldsOf(row["supplier"]), "supplierCode", "supplierName"),
    ...texts(fieldsOf(row["location"]), "locationCode"),
    lines: rows(row["purchaseOrderLineItems"]).map((line) => ({
      ...texts(line, "productId"),
      ...numbers(line, "quantity", "unitPrice"),
    })),
  };
}

/** One sale of one product. */
export type SalesOrder =
  & Numbers<"id" | "quantity" | "unitPrice">
  & Texts<"productId" | "orderDate" | "externalReferenceId">
  & Texts<"locationCode" | "customerCode" | "customerName">;

/** A sales order; null where it says nothing of a product. */
export function salesOrder(value: unknown): SalesOrder | null {
  const row = fieldsOf(value);
  const read: SalesOrder = {
    ...numbers(row, "id", "quantity", "unitPrice"),
    ...texts(row, "productId", "orderDate", "externalReferenceId"),
    ...texts(row, "locationCode", "customerCode", "customerName"),
  };
  return read.productId === null && read.id === null ? null : read;
}

/** A row of the order plan: the forecast of one product, at one location. */
export type Sku =
  & {
    readonly productCode: string;
  }
  & Texts<"name" | "category" | "locationName">
  /** `orderQuantity` is how many the service recommends to order. */
  & Numbers<"stockOnHand" | "stockOnOrder" | "orderQuantity" | "safetyStockLevel">
  & Numbers<"leadTimeDays" | "daysUntilStockOut" | "skuCost" | "skuPrice">
  & Flags<"isDiscontinued">;

/** A row of the order plan; null without a product code. */
export function sku(value: unknown): Sku | null {
  const row = fieldsOf(value);
  const productCode = text(row["productCode"]);
  return productCode === null ? null : {
    productCode,
    ...texts(row, "name", "category", "locationName"),
    ...numbers(row, "stockOnHand", "stockOnOrder", "orderQuantity", "safetyStockLevel"),
    ...numbers(row, "leadTimeDays", "daysUntilStockOut", "skuCost", "skuPrice"),
    ...flags(row, "isDiscontinued"),
  };
}

/** How far the service is with a calculation; from 0 to 100 percent. */
export type ProcessingStatus =
  & Flags<"isProcessing">
  & Numbers<"percentageComplete">
  & Texts<"statusMessage">;

/** How far a calculation is. */
export function processingStatus(value: unknown): ProcessingStatus {
  const row = fieldsOf(value);
  return {
    ...numbers(row, "percentageComplete"),
    ...texts(row, "statusMessage"),
    ...flags(row, "isProcessing"),
  };
}
