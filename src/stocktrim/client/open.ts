/**
 * The StockTrim service that the environment names, over HTTP.
 *
 * @module
 */

import type { System } from "../../system/mod.ts";
import { readAccount } from "./account.ts";
import type { Outcome, Page, StockTrim } from "./client.ts";
import * as records from "./parse.ts";
import { listOf, oneOf, pageOf, present, read, rows, theProduct, wholeList } from "./oddities.ts";
import type { Product, PurchaseOrder } from "./records.ts";
import { type Answer, type Operation, Transport } from "./transport.ts";

/** Hosts give a tool call up after a minute. */
const BUDGET_MS = 45_000;
const PRODUCTS_PER_PAGE = 50;
const ORDERS_PER_PAGE = 10;

/** A name as a part of a path; null for one that a URL cannot hold as that. */
function segment(name: string): string | null {
  return /^\.{0,2}$/.test(name) ? null : encodeURIComponent(name);
}

/** A reader of records. */
type Reader<T> = (row: unknown) => T | null;

/** The operations on a transport. */
class Service {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Records of a read with a filter. */
  async list<T>(operation: Operation, record: Reader<T>): Promise<readonly T[]> {
    const answer = await this.#transport.read(operation);
    return listOf(answer, () => this.#transport.json(operation, answer), record);
  }

  /** Records of a read without one. */
  async all<T>(operation: Operation, record: Reader<T>): Promise<readonly T[]> {
    const answer = await this.#transport.read(operation);
    return wholeList(
      operation.what,
      answer,
      () => this.#transport.json(operation, answer),
      record,
    );
  }

  /** A page of records; with `list404` a 404 is no empty page. */
  async page<T>(operation: Operation, record: Reader<T>, size: number): Promise<Page<T>> {
    const answer = await this.#transport.read(operation);
    const value = answer.status === 404 ? [] : this.#transport.json(operation, answer);
    return pageOf(read(value, record), rows(value).length, size);
  }

  /** What a read answers that is no list. */
  async value(operation: Operation): Promise<unknown> {
    const answer = await this.#transport.read(operation);
    if (answer.status === 404) return wholeList(operation.what, answer, () => null, () => null);
    return this.#transport.json(operation, answer);
  }

  /** A change, with what `show` finds in the answer. */
  async change<T>(operation: Operation, show: (value: unknown) => T | null): Promise<Outcome<T>> {
    const sent = operation.body === undefined
      ? operation
      : { ...operation, body: present(operation.body) };
    const outcome = await this.#transport.change(sent);
    if (outcome.state !== "done") return outcome;
    return { state: "done", value: outcome.value === null ? null : show(lenient(outcome.value)) };
  }
}

/** The body of an answer that counts as given whatever is in it. */
function lenient({ body }: Answer): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** The first record of an answer. */
function first<T>(record: Reader<T>): (value: unknown) => T | null {
  return (value) => read(value, record)[0] ?? null;
}

const nothing = () => null;

function productsOf(service: Service): StockTrim["products"] {
  const path = "/api/Products";
  return {
    async get(code) {
      const operation: Operation = {
        what: `look up product "${code}"`,
        method: "GET",
        path,
        query: { code },
      };
      return theProduct(code, await service.list(operation, records.product));
    },
    page: (page) =>
      service.page(
        { what: "list products", method: "GET", path, query: { pageNo: page } },
        records.product,
        PRODUCTS_PER_PAGE,
      ),
    save: (input) =>
      service.change<Product>(
        { what: `save product "${input.productId}"`, method: "POST", path, body: input },
        first(records.product),
      ),
    delete: (productId) =>
      service.change<never>(
        { what: `delete product "${productId}"`, method: "DELETE", path, query: { productId } },
        nothing,
      ),
  };
}

function customersOf(service: Service): StockTrim["customers"] {
  const path = "/api/Customers";
  return {
    async get(code) {
      const name = segment(code);
      if (name === null) return null;
      const what = `look up customer "${code}"`;
      const found = await service.list(
        { what, method: "GET", path: `${path}/${name}` },
        records.customer,
      );
      return oneOf(found, (customer) => customer.code === code);
    },
    list: () => service.all({ what: "list customers", method: "GET", path }, records.customer),
  };
}

function suppliersOf(service: Service): StockTrim["suppliers"] {
  const path = "/api/Suppliers";
  return {
    async get(code) {
      const what = `look up supplier "${code}"`;
      const found = await service.list(
        { what, method: "GET", path, query: { code } },
        records.supplier,
      );
      return oneOf(found, (supplier) => supplier.supplierCode === code) ??
        // One without a code is called by its name.
        oneOf(
          found,
          (supplier) => supplier.supplierCode === null && supplier.supplierName === code,
        );
    },
    list: () =>
      service.all(
        { what: "list suppliers", method: "GET", path: "/api/SuppliersBulk" },
        records.supplier,
      ),
    save: (input) =>
      service.change(
        { what: `save supplier "${input.supplierCode}"`, method: "POST", path, body: [input] },
        first(records.supplier),
      ),
    delete: (supplierCodeOrName) =>
      service.change<never>(
        {
          what: `delete supplier "${supplierCodeOrName}"`,
          method: "DELETE",
          path,
          query: { supplierCodeOrName },
        },
        nothing,
      ),
  };
}

function locationsOf(service: Service): StockTrim["locations"] {
  const path = "/api/Locations";
  return {
    async get(code) {
      const what = `look up location "${code}"`;
      const found = await service.list(
        { what, method: "GET", path, query: { code } },
        records.location,
      );
      return oneOf(found, (location) => location.locationCode === code);
    },
    list: () => service.all({ what: "list locations", method: "GET", path }, records.location),
    create: (input) =>
      service.change(
        {
          what: `create location "${input.locationCode}"`,
          method: "POST",
          // The older way also takes a location with the same name for the same one.
          path: "/api/V2/Locations",
          body: input,
        },
        first(records.location),
      ),
  };
}

function inventoryOf(service: Service): StockTrim["inventory"] {
  return {
    set: (input) =>
      service.change<never>(
        {
          what: `set the stock of product "${input.productId}"`,
          method: "POST",
          path: "/api/Inventory",
          body: { inventory: [input] },
        },
        nothing,
      ),
  };
}

function purchaseOrdersOf(service: Service): StockTrim["purchaseOrders"] {
  const path = "/api/PurchaseOrders";
  const path2 = "/api/V2/PurchaseOrders";
  const isCalled = (reference: string) => (order: PurchaseOrder) =>
    order.referenceNumber === reference || order.clientReferenceNumber === reference;
  return {
    async get(reference) {
      const what = `look up purchase order "${reference}"`;
      const name = segment(reference);
      const found = name === null ? [] : await service.list(
        { what, method: "GET", path: `${path2}/${name}` },
        records.purchaseOrder,
      );
      // The older way also finds what the newer one does not, where an account has it.
      const older = () =>
        service.list(
          { what, method: "GET", path, query: { referenceNumber: reference } },
          records.purchaseOrder,
        );
      return oneOf(found, isCalled(reference)) ?? oneOf(await older(), isCalled(reference));
    },
    page({ page, pageSize = ORDERS_PER_PAGE, status }) {
      return service.page(
        {
          what: "list purchase orders",
          method: "GET",
          path: path2,
          query: { page, pageSize, status },
        },
        records.purchaseOrder,
        pageSize,
      );
    },
    create({ supplierCode, supplierName, locationCode, locationName, lines, ...order }) {
      const at = { locationCode, locationName };
      return service.change(
        {
          what: `create a purchase order for supplier "${supplierCode}"`,
          method: "POST",
          path,
          body: {
            ...order,
            supplier: { supplierCode, supplierName },
            location: locationCode === undefined && locationName === undefined ? undefined : at,
            purchaseOrderLineItems: lines,
          },
        },
        first(records.purchaseOrder),
      );
    },
    delete: (referenceNumber) =>
      service.change<never>(
        {
          what: `delete purchase order "${referenceNumber}"`,
          method: "DELETE",
          path,
          query: { referenceNumber },
        },
        nothing,
      ),
    generate: (filter) =>
      service.change(
        {
          what: "generate purchase orders",
          method: "POST",
          path: `${path2}/OrderPlan`,
          body: filter,
        },
        (value) => read(value, records.purchaseOrder),
      ),
  };
}

function salesOrdersOf(service: Service): StockTrim["salesOrders"] {
  const path = "/api/SalesOrders";
  return {
    async list(productId) {
      if (productId === undefined) {
        return await service.all(
          { what: "list sales orders", method: "GET", path },
          records.salesOrder,
        );
      }
      const what = `list the sales orders of product "${productId}"`;
      const found = await service.list(
        { what, method: "GET", path, query: { productId } },
        records.salesOrder,
      );
      return found.filter((order) => order.productId === productId);
    },
    create(
      { orderDate, locationCode, locationName, customerCode, customerName, ...line },
    ) {
      return service.change(
        {
          what: `create a sales order for product "${line.productId}"`,
          method: "PUT",
          path: "/api/SalesOrdersBulk",
          body: {
            orderDate,
            locationCode,
            locationName,
            customerCode,
            customerName,
            saleOrderLineItems: [line],
          },
        },
        first(records.salesOrder),
      );
    },
    deleteOfProduct: (productId) =>
      service.change<never>(
        {
          what: `delete the sales orders of product "${productId}"`,
          method: "DELETE",
          path,
          query: { productId },
        },
        nothing,
      ),
  };
}

function orderPlanOf(service: Service): StockTrim["orderPlan"] {
  return {
    async page(filter, page, perPage) {
      const answer = await service.value({
        what: "read the order plan",
        method: "POST",
        path: "/api/OrderPlan",
        body: present({ ...filter, page, perPage }),
      });
      const { results, filterCriteria } = rows(answer)[0] ?? {};
      const { hasNextPage } = rows(filterCriteria)[0] ?? {};
      const items = read(results, records.sku);
      return typeof hasNextPage === "boolean"
        ? { items, more: hasNextPage }
        : pageOf(items, rows(results).length, perPage);
    },
  };
}

function forecastOf(service: Service): StockTrim["forecast"] {
  return {
    run: () =>
      service.change<never>(
        { what: "start the forecast", method: "POST", path: "/api/RunForecastCalculations" },
        nothing,
      ),
    status: async () =>
      records.processingStatus(
        await service.value({
          what: "see how far the forecast is",
          method: "GET",
          path: "/api/ProcessingStatus",
        }),
      ),
  };
}

/**
 * The service for one call. In a world that is read-only it only answers.
 *
 * @param budgetMs how many milliseconds all requests together may take; 45 seconds when absent.
 * @throws `stocktrim_not_configured` where the environment does not name the account.
 */
export function openStockTrim(
  at: { readonly system: System; readonly signal: AbortSignal },
  budgetMs = BUDGET_MS,
): StockTrim {
  const service = new Service(new Transport(at, readAccount(at.system.env), budgetMs));
  return {
    products: productsOf(service),
    customers: customersOf(service),
    suppliers: suppliersOf(service),
    locations: locationsOf(service),
    inventory: inventoryOf(service),
    purchaseOrders: purchaseOrdersOf(service),
    salesOrders: salesOrdersOf(service),
    orderPlan: orderPlanOf(service),
    forecast: forecastOf(service),
  };
}
