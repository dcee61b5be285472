/**
 * Reads records out of what the service answers: whatever is missing, null or of another type is null.
 *
 * @module
 */

import { type Fields, fieldsOf } from "../../../base/object.ts";
import { rows, statusOf } from "./oddities.ts";
import type {
  Customer,
  Location,
  ProcessingStatus,
  Product,
  PurchaseOrder,
  SalesOrder,
  Sku,
  Supplier,
} from "./records.ts";

function text(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function number(value: unknown): number | null {
  if (typeof value === "string" && value.trim() !== "") return number(Number(value));
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Members of a row that are texts, each null where it is none. */
function texts<K extends string>(row: Fields, ...names: readonly K[]): Record<K, string | null> {
  return Object.fromEntries(names.map((name) => [name, text(row[name])])) as Record<
    K,
    string | null
  >;
}

/** Members of a row that are numbers, each null where it is none. */
function numbers<K extends string>(row: Fields, ...names: readonly K[]): Record<K, number | null> {
  return Object.fromEntries(names.map((name) => [name, number(row[name])])) as Record<
    K,
    number | null
  >;
}

/** Members of a row that are true or false; what is neither is false. */
function flags<K extends string>(row: Fields, ...names: readonly K[]): Record<K, boolean> {
  return Object.fromEntries(names.map((name) => [name, row[name] === true])) as Record<K, boolean>;
}

/** A product; null without the id that everything goes by. */
export function product(value: unknown): Product | null {
  const row = fieldsOf(value);
  const productId = text(row["productId"]);
  if (productId === null) return null;
  const named = texts(
    row,
    "productCodeReadable",
    "name",
    "category",
    "subCategory",
    "supplierCode",
    "barcode",
  );
  return {
    productId,
    code: named.productCodeReadable ?? productId,
    ...named,
    ...numbers(
      row,
      "id",
      "serviceLevel",
      "leadTime",
      "forecastPeriod",
      "manufacturingTime",
      "orderFrequency",
      "minimumOrderQuantity",
      "minimumShelfLevel",
      "maximumShelfLevel",
      "batchSize",
      "stockOnHand",
      "stockOnOrder",
      "cost",
      "price",
    ),
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

/** A customer; null without a code. */
export function customer(value: unknown): Customer | null {
  const row = fieldsOf(value);
  const code = text(row["code"]);
  if (code === null) return null;
  return {
    code,
    ...texts(
      row,
      "name",
      "emailAddress",
      "phone",
      "streetAddress",
      "addressLine1",
      "addressLine2",
      "city",
      "state",
      "country",
      "postCode",
    ),
  };
}

/** A supplier; null with neither code nor name. */
export function supplier(value: unknown): Supplier | null {
  const row = fieldsOf(value);
  const read: Supplier = {
    ...numbers(row, "id", "defaultLeadTime"),
    ...texts(
      row,
      "supplierCode",
      "supplierName",
      "emailAddress",
      "primaryContactName",
      "externalId",
      "streetAddress",
      "addressLine1",
      "addressLine2",
      "state",
      "country",
      "postCode",
    ),
  };
  return read.supplierCode === null && read.supplierName === null ? null : read;
}

/** A location; null with neither code nor name. */
export function location(value: unknown): Location | null {
  const row = fieldsOf(value);
  const read: Location = {
    ...numbers(row, "id"),
    ...texts(row, "locationCode", "locationName", "externalId"),
  };
  return read.locationCode === null && read.locationName === null ? null : read;
}

/** A purchase order; null where nothing in it could be asked for. */
export function purchaseOrder(value: unknown): PurchaseOrder | null {
  const row = fieldsOf(value);
  const ids = texts(row, "referenceNumber", "clientReferenceNumber", "externalId");
  const { id } = numbers(row, "id");
  const reference = ids.referenceNumber ?? ids.clientReferenceNumber;
  if (reference === null && id === null) return null;
  return {
    id,
    reference,
    ...ids,
    status: statusOf(row["status"]),
    ...texts(fieldsOf(row["supplier"]), "supplierCode", "supplierName"),
    ...texts(fieldsOf(row["location"]), "locationCode", "locationName"),
    ...texts(row, "orderDate", "createdDate", "fullyReceivedDate"),
    lines: rows(row["purchaseOrderLineItems"]).map((line) => ({
      ...texts(line, "productId", "receivedDate"),
      ...numbers(line, "quantity", "unitPrice"),
    })),
  };
}

/** A sales order; null where it says nothing of a product. */
export function salesOrder(value: unknown): SalesOrder | null {
  const row = fieldsOf(value);
  const read: SalesOrder = {
    ...numbers(row, "id", "quantity", "unitPrice"),
    ...texts(
      row,
      "productId",
      "orderDate",
      "externalReferenceId",
      "locationCode",
      "locationName",
      "customerCode",
      "customerName",
    ),
  };
  return read.productId === null && read.id === null ? null : read;
}

/** A row of the order plan; null without a product code. */
export function sku(value: unknown): Sku | null {
  const row = fieldsOf(value);
  const productCode = text(row["productCode"]);
  if (productCode === null) return null;
  return {
    productCode,
    ...texts(row, "name", "category", "subCategory", "locationName"),
    ...numbers(
      row,
      "stockOnHand",
      "stockOnOrder",
      "orderQuantity",
      "reorderPoint",
      "safetyStockLevel",
      "leadTimeDays",
      "daysUntilStockOut",
      "daysUntilReplenishmentDue",
      "forecastPeriodDemand",
      "skuCost",
      "skuPrice",
      "serviceLevel",
      "minimumOrderQuantity",
    ),
    ...flags(row, "isDiscontinued", "isUnstocked"),
  };
}

/** How far a calculation is. */
export function processingStatus(value: unknown): ProcessingStatus {
  const row = fieldsOf(value);
  return {
    ...numbers(row, "percentageComplete"),
    ...texts(row, "statusMessage"),
    isProcessing: row["isProcessing"] === true,
  };
}
