/**
 * The operations of the stand-in, with the oddities of the service: 404 for "none", writing over what has the same key,
 * empty answers to deletes.
 *
 * @module
 */

import { fieldsOf } from "../../../src/base/object.ts";
import {
  type Desk,
  EMPTY,
  equal,
  type FakeAnswer,
  type FakeRequest,
  NONE,
  one,
  type Operation,
  problem,
  remove,
  upsert,
  WRONG_SHAPE,
} from "./desk.ts";
import {
  createSales,
  generateOrders,
  orderPlan,
  ordersCalled,
  pagePurchaseOrders,
  savePurchaseOrder,
  shownOrder,
} from "./orders.ts";

const PRODUCTS_PER_PAGE = 50;

function listProducts({ shop }: Desk, { query }: FakeRequest): FakeAnswer {
  const { code, pageNo = "0" } = query;
  if (code !== undefined) {
    const found = shop.products.filter((row) =>
      equal(row["productCodeReadable"], code) || equal(row["productId"], code)
    );
    return found.length === 0 ? NONE : { status: 200, body: found };
  }
  const begin = Number(pageNo) * PRODUCTS_PER_PAGE;
  const page = shop.products.slice(begin, begin + PRODUCTS_PER_PAGE);
  return page.length === 0 ? NONE : { status: 200, body: page };
}

function saveProduct({ shop }: Desk, { body }: FakeRequest): FakeAnswer {
  const given = fieldsOf(body);
  if (typeof given["productId"] !== "string") {
    return {
      status: 400,
      body: {
        title: "One or more validation errors occurred.",
        status: 400,
        errors: { productId: ["The productId field is required."] },
      },
    };
  }
  const { row, fresh } = upsert(shop.products, "productId", given);
  return { status: fresh ? 201 : 200, body: row };
}

function setInventory({ shop }: Desk, { body }: FakeRequest): FakeAnswer {
  const { inventory } = fieldsOf(body);
  if (!Array.isArray(inventory)) return problem(400, "Bad Request", "inventory is required");
  for (const given of inventory.map(fieldsOf)) {
    const product = shop.products.find((row) => row["productId"] === given["productId"]);
    if (product === undefined) return problem(400, "Bad Request", "Unknown productId");
    for (const name of ["stockOnHand", "stockOnOrder"]) {
      if (given[name] !== undefined) product[name] = given[name];
    }
  }
  // The documentation declares a purchase order for this answer, so one is sent.
  return { status: 200, body: { id: 0, purchaseOrderLineItems: [] } };
}

function progress(desk: Desk): FakeAnswer {
  const steps = [0, 40, 80];
  const at = desk.polls === null ? undefined : steps[desk.polls];
  if (desk.polls !== null) desk.polls = at === undefined ? null : desk.polls + 1;
  return {
    status: 200,
    body: at === undefined
      ? { id: 1, isProcessing: false, percentageComplete: 100, statusMessage: "Done" }
      : { id: 1, isProcessing: true, percentageComplete: at, statusMessage: "Calculating" },
  };
}

const BY_PATH: Readonly<Record<string, Operation>> = {
  "GET /api/Products": listProducts,
  "POST /api/Products": saveProduct,
  "DELETE /api/Products": remove(
    (shop) => shop.products,
    "productId",
    (row, id) => equal(row["productId"], id),
    200,
  ),
  "GET /api/Customers": ({ shop }) => ({ status: 200, body: shop.customers }),
  "GET /api/Suppliers": (desk, { query }) =>
    one(
      desk,
      desk.shop.suppliers.filter((row) =>
        equal(row["supplierCode"], query["code"]) || equal(row["supplierName"], query["code"])
      ),
    ),
  "GET /api/SuppliersBulk": ({ shop }) => ({ status: 200, body: shop.suppliers }),
  "POST /api/Suppliers": ({ shop }, { body }) =>
    Array.isArray(body)
      ? {
        status: 201,
        body: body.map((given) =>
          upsert(shop.suppliers, "supplierCode", { ...fieldsOf(given) }).row
        ),
      }
      : WRONG_SHAPE,
  "DELETE /api/Suppliers": remove(
    (shop) => shop.suppliers,
    "supplierCodeOrName",
    (row, name) => equal(row["supplierCode"], name) || equal(row["supplierName"], name),
    201,
  ),
  "GET /api/Locations": (desk, { query }) => {
    if (desk.behaviour.off) return NONE;
    const { code } = query;
    return code === undefined
      ? { status: 200, body: desk.shop.locations }
      : one(desk, desk.shop.locations.filter((row) => row["locationCode"] === code));
  },
  "POST /api/V2/Locations": ({ shop }, { body }) => ({
    status: 201,
    body: upsert(shop.locations, "locationCode", { ...fieldsOf(body) }).row,
  }),
  "POST /api/Inventory": setInventory,
  "GET /api/PurchaseOrders": (desk, { query }) => {
    if (desk.behaviour.off) return NONE;
    const { referenceNumber } = query;
    const found = referenceNumber === undefined
      ? desk.shop.purchaseOrders
      : ordersCalled(desk, referenceNumber);
    const shown = found.map((order) => shownOrder(desk, order));
    return referenceNumber === undefined ? { status: 200, body: shown } : one(desk, shown);
  },
  "POST /api/PurchaseOrders": savePurchaseOrder,
  "DELETE /api/PurchaseOrders": remove(
    (shop) => shop.purchaseOrders,
    "referenceNumber",
    (row, name) => equal(row["referenceNumber"], name) || equal(row["clientReferenceNumber"], name),
    204,
  ),
  "GET /api/V2/PurchaseOrders": pagePurchaseOrders,
  "POST /api/V2/PurchaseOrders/OrderPlan": generateOrders,
  "GET /api/SalesOrders": (desk, { query }) => {
    const { productId } = query;
    const found = desk.shop.salesOrders.filter((row) =>
      productId === undefined || row["productId"] === productId
    );
    return desk.behaviour.off || found.length === 0 ? NONE : { status: 200, body: found };
  },
  "PUT /api/SalesOrdersBulk": createSales,
  "DELETE /api/SalesOrders": remove(
    (shop) => shop.salesOrders,
    "productId",
    (row, id) => equal(row["productId"], id),
    200,
  ),
  "POST /api/OrderPlan": orderPlan,
  "POST /api/RunForecastCalculations": (desk) => {
    desk.polls = 0;
    return EMPTY(201);
  },
  "GET /api/ProcessingStatus": progress,
};

/** Answers a request as the service would. */
export function answerTo(desk: Desk, request: FakeRequest): FakeAnswer {
  const { method, path } = request;
  const operation = BY_PATH[`${method} ${path}`];
  if (operation !== undefined) return operation(desk, request);
  const last = decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
  if (method === "GET" && /^\/api\/Customers\/[^/]+$/.test(path)) {
    const found = desk.shop.customers.find((row) => row["code"] === last);
    return found === undefined ? NONE : { status: 200, body: found };
  }
  if (method === "GET" && /^\/api\/V2\/PurchaseOrders\/[^/]+$/.test(path)) {
    const found = ordersCalled(desk, last)[0];
    return found === undefined ? NONE : { status: 200, body: shownOrder(desk, found) };
  }
  return problem(404, "Not Found", `There is no ${method} ${path}`);
}
