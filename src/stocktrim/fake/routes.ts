/**
 * The operations of the stand-in, with the oddities of the service: 404 for "none", writing over what has the same key,
 * empty answers to deletes.
 *
 * @module
 */

import { fieldsOf, isObject } from "../../object.ts";
import type { Row, Shop } from "./fixture.ts";

/** A request as the stand-in reads and records it. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is answered: an object or list goes as JSON, a string as it is. */
export interface FakeAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How this account behaves where accounts differ. */
export interface Behaviour {
  /** One record is answered as a list of one. */
  lists: boolean;
  /** Statuses of purchase orders are numbers. */
  numbers: boolean;
  /** The older lists of purchase orders, sales orders and locations answer 404. */
  off: boolean;
}

/** What operations work on. */
export interface Desk {
  readonly shop: Shop;
  readonly behaviour: Behaviour;
  /** How often the progress of a calculation is asked for until it is done; null where none goes on. */
  polls: number | null;
}

type Operation = (desk: Desk, request: FakeRequest) => FakeAnswer;

const STATUSES = ["Draft", "Approved", "Sent", "Received"];
const PRODUCTS_PER_PAGE = 50;

/** An error in the form of RFC 7807. */
export function problem(status: number, title: string, detail: string): FakeAnswer {
  return {
    status,
    body: { type: "about:blank", title, status, detail },
    headers: { "content-type": "application/problem+json" },
  };
}

const NONE: FakeAnswer = problem(404, "Not Found", "No match was found");
const EMPTY = (status: number): FakeAnswer => ({ status });
/** What the service says to a body that it cannot take. */
export const WRONG_SHAPE: FakeAnswer = { status: 415, body: "Unsupported Media Type" };

function equal(value: unknown, wanted: string | undefined): boolean {
  return wanted !== undefined && value === wanted;
}

/** The one that was asked for, alone or as a list, and 404 for none. */
function one(desk: Desk, found: readonly Row[]): FakeAnswer {
  if (found.length === 0) return NONE;
  return { status: 200, body: desk.behaviour.lists ? found : found[0] };
}

/** Writes a record over the one with the same key, or adds it; members that are left out stay. */
function upsert(
  all: Row[],
  key: string,
  given: Row,
): { readonly row: Row; readonly fresh: boolean } {
  const stored = all.find((row) => row[key] !== null && row[key] === given[key]);
  if (stored === undefined) {
    const row = { id: 9_000 + all.length, ...given };
    all.push(row);
    return { row, fresh: true };
  }
  Object.assign(stored, given);
  return { row: stored, fresh: false };
}

function removeAll(all: Row[], isIt: (row: Row) => boolean): boolean {
  const rest = all.filter((row) => !isIt(row));
  const removed = rest.length < all.length;
  all.splice(0, all.length, ...rest);
  return removed;
}

function shownOrder(desk: Desk, order: Row): Row {
  return desk.behaviour.numbers
    ? { ...order, status: STATUSES.indexOf(String(order["status"])) }
    : order;
}

function ordersCalled({ shop }: Desk, reference: string | undefined): Row[] {
  return shop.purchaseOrders.filter((order) =>
    equal(order["referenceNumber"], reference) || equal(order["clientReferenceNumber"], reference)
  );
}

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

function savePurchaseOrder(desk: Desk, { body }: FakeRequest): FakeAnswer {
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

function pagePurchaseOrders(desk: Desk, { query }: FakeRequest): FakeAnswer {
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

function orderPlan(desk: Desk, { body }: FakeRequest): FakeAnswer {
  const filter = fieldsOf(body);
  if (Object.values(filter).some(Array.isArray)) return WRONG_SHAPE;
  const { page = 0, perPage = 50 } = filter;
  const all = plan(desk, filter);
  const begin = Number(page) * Number(perPage);
  const results = all.slice(begin, begin + Number(perPage));
  const hasNextPage = begin + results.length < all.length;
  // What was asked with comes back, its status as null.
  return {
    status: 200,
    body: { results, filterCriteria: { ...filter, currentStatus: null, hasNextPage } },
  };
}

function generateOrders(desk: Desk, { body }: FakeRequest): FakeAnswer {
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
  // What is declared for this answer is a purchase order, and so is what comes.
  return { status: 200, body: { id: 0, purchaseOrderLineItems: [] } };
}

function createSales({ shop }: Desk, { body }: FakeRequest): FakeAnswer {
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

function remove(
  all: (shop: Shop) => Row[],
  filter: string,
  isIt: (row: Row, wanted: string | undefined) => boolean,
  status: number,
): Operation {
  return ({ shop }, { query }) =>
    removeAll(all(shop), (row) => isIt(row, query[filter])) ? EMPTY(status) : NONE;
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
