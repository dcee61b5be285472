/**
 * The operations of the stand-in on orders, and its plan of what to order.
 *
 * @module
 */

import { fieldsOf, isObject } from "../../../src/base/object.ts";
import {
  type Desk,
  equal,
  type FakeAnswer,
  type FakeRequest,
  problem,
  upsert,
  WRONG_SHAPE,
} from "./desk.ts";
import type { Row } from "./fixture.ts";

const STATUSES = ["Draft", "Approved", "Sent", "Received"];

/** A purchase order as this account shows it. */
export function shownOrder(desk: Desk, order: Row): Row {
  return desk.behaviour.numbers
    ? { ...order, status: STATUSES.indexOf(String(order["status"])) }
    : order;
}

/** The purchase orders with a reference. */
export function ordersCalled({ shop }: Desk, reference: string | undefined): Row[] {
  return shop.purchaseOrders.filter((order) =>
    equal(order["referenceNumber"], reference) || equal(order["clientReferenceNumber"], reference)
  );
}

/** Adds a purchase order, or writes over the one with the same reference. */
export function savePurchaseOrder(desk: Desk, { body }: FakeRequest): FakeAnswer {
  const given = fieldsOf(body);
  if ("orderDate" in given && given["orderDate"] === null) {
    return problem(400, "Bad Request", "orderDate is required");
  }
  if (!isObject(given["supplier"]) || !Array.isArray(given["purchaseOrderLineItems"])) {
    return problem(400, "Bad Request", "supplier and purchaseOrderLineItems are required");
  }
  const reference = given["clientReferenceNumber"] ?? given["referenceNumber"] ??
    `PO-${desk.shop.purchaseOrders.length + 1}`;
  const { row, fresh } = upsert(desk.shop.purchaseOrders, "clientReferenceNumber", {
    status: "Draft",
    referenceNumber: reference,
    ...given,
    clientReferenceNumber: reference,
  });
  return { status: fresh ? 201 : 200, body: shownOrder(desk, row) };
}

/** A page of the purchase orders. */
export function pagePurchaseOrders(desk: Desk, { query }: FakeRequest): FakeAnswer {
  const { page = "0", pageSize = "10", status } = query;
  const found = desk.shop.purchaseOrders.filter((order) =>
    status === undefined || order["status"] === status
  );
  const begin = Number(page) * Number(pageSize);
  return {
    status: 200,
    body: found.slice(begin, begin + Number(pageSize)).map((order) => shownOrder(desk, order)),
  };
}

/** The row of the plan for a product, of which two are sold a day. */
function planned(product: Row): Row {
  const stock = Number(product["stockOnHand"] ?? 0);
  const days = Math.floor(stock / 2);
  return {
    productCode: product["productCodeReadable"],
    name: product["name"],
    category: product["category"],
    locationName: "Main store",
    stockOnHand: stock,
    stockOnOrder: product["stockOnOrder"],
    orderQuantity: Math.max(0, 60 - stock),
    reorderPoint: 14,
    safetyStockLevel: 6,
    leadTimeDays: product["leadTime"],
    daysUntilStockOut: days,
    forecastPeriodDemand: 60,
    skuCost: product["cost"],
    skuPrice: product["price"],
    isDiscontinued: product["discontinued"],
    isUnstocked: product["unstocked"],
    serviceLevel: product["serviceLevel"],
    minimumOrderQuantity: product["minimumOrderQuantity"],
  };
}

function plan({ shop }: Desk, filter: Row): Row[] {
  const { searchString, category, supplier, location, currentStatus } = filter;
  const words = String(searchString ?? "").toLowerCase();
  return shop.products
    .filter((row) =>
      currentStatus === "All" ||
      (row["discontinued"] === true) === (currentStatus === "Discontinued")
    )
    .filter((row) => category === undefined || row["category"] === category)
    .filter((row) => supplier === undefined || row["supplierCode"] === supplier)
    .filter(() => location === undefined || location === "MAIN" || location === "Main store")
    .filter((row) =>
      `${String(row["productCodeReadable"])} ${String(row["name"])}`.toLowerCase().includes(words)
    )
    .map(planned);
}

/** A page of the plan. */
export function orderPlan(desk: Desk, { body }: FakeRequest): FakeAnswer {
  const filter = fieldsOf(body);
  if (Object.values(filter).some(Array.isArray)) return WRONG_SHAPE;
  const { page = 0, perPage = 50 } = filter;
  const all = plan(desk, filter);
  const begin = Number(page) * Number(perPage);
  const results = all.slice(begin, begin + Number(perPage));
  const hasNextPage = begin + results.length < all.length;
  // The answer repeats the filter of the request, with a status of null.
  return {
    status: 200,
    body: { results, filterCriteria: { ...filter, currentStatus: null, hasNextPage } },
  };
}

/** Adds an order for every supplier of products that run out. */
export function generateOrders(desk: Desk, { body }: FakeRequest): FakeAnswer {
  const { supplierCodes, locationCodes, ...rest } = fieldsOf(body);
  const single = ["location", "supplier", "category", "page"].some((name) => name in rest);
  const lists = [supplierCodes, locationCodes].every((list) =>
    list === undefined || Array.isArray(list)
  );
  if (single || !lists) return WRONG_SHAPE;
  const wanted = Array.isArray(supplierCodes) && supplierCodes.length > 0 ? supplierCodes : null;
  const bySupplier = Map.groupBy(
    desk.shop.products.filter((row) => Number(row["stockOnHand"]) < 14),
    (row) => String(row["supplierCode"]),
  );
  const orders = [...bySupplier].filter(([code]) => wanted === null || wanted.includes(code))
    .map(([code, products]) => {
      const reference = `PO-${desk.shop.purchaseOrders.length + 1}`;
      const order: Row = {
        id: 2_000 + desk.shop.purchaseOrders.length + 1,
        referenceNumber: reference,
        clientReferenceNumber: reference,
        supplier: { supplierCode: code, supplierName: null },
        location: null,
        status: "Draft",
        orderDate: null,
        purchaseOrderLineItems: products.map((row) => ({
          productId: row["productId"],
          quantity: 60 - Number(row["stockOnHand"]),
          unitPrice: row["cost"],
        })),
      };
      desk.shop.purchaseOrders.push(order);
      return shownOrder(desk, order);
    });
  return { status: 200, body: orders };
}

/** Adds the sales of an order, one for each of its lines. */
export function createSales({ shop }: Desk, { body }: FakeRequest): FakeAnswer {
  const { saleOrderLineItems, ...order } = fieldsOf(body);
  if (!Array.isArray(saleOrderLineItems) || order["orderDate"] === undefined) {
    return problem(400, "Bad Request", "orderDate and saleOrderLineItems are required");
  }
  const written = saleOrderLineItems.map(fieldsOf).map((line) =>
    upsert(shop.salesOrders, "externalReferenceId", {
      externalReferenceId: null,
      ...order,
      ...line,
    }).row
  );
  return { status: 201, body: written[0] };
}
