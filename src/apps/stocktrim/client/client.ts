/**
 * What can be asked of the StockTrim service that the environment names, and what comes of it.
 *
 * Reads answer the record, null where there is none, or a list; what fails throws `AmofError`. A change answers how it
 * ended, because "nobody knows" is one of its ends: it is sent once, whatever happens.
 */

import { jsonIn } from "../../../base/object.ts";
import type { System } from "../../../base/system/mod.ts";
import { readAccount } from "./account.ts";
import {
  type Page,
  pageOf,
  present,
  type PurchaseOrderStatus,
  read,
  rows,
  wholeList,
} from "./oddities.ts";
import * as records from "./records.ts";
import { type Answer, type ChangeOutcome, type Operation, Transport } from "./transport.ts";
import { AmofError } from "../../../base/error.ts";

/** A name as a part of a path, encoded; null for one that a URL cannot hold as that. */
function segment(name: string): string | null {
  return /^\.{0,2}$/.test(name) ? null : encodeURIComponent(name);
}

/** A reader of records: null for what is none. */
type Reader<T> = (row: unknown) => T | null;

/** The records of a read with a filter: 404 is none. */
function listOf<T>(
  answer: Answer,
  value: () => unknown,
  record: (row: unknown) => T | null,
): readonly T[] {
  return answer.status === 404 ? [] : read(value(), record);
}

/** What operations are made of: reads and changes over a transport, with records read out of the answers. */
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
  async change<T>(
    operation: Operation,
    show: (value: unknown) => T | null,
  ): Promise<ChangeOutcome<T>> {
    const sent = operation.body === undefined
      ? operation
      : { ...operation, body: present(operation.body) };
    const outcome = await this.#transport.change(sent);
    if (outcome.state !== "done") return outcome;
    // The answer counts as given whatever is in it.
    const { value } = outcome;
    return { state: "done", value: value === null ? null : show(jsonIn(value.body) ?? null) };
  }
}

/** Shows the first record of an answer. */
function first<T>(record: Reader<T>): (value: unknown) => T | null {
  return (value) => read(value, record)[0] ?? null;
}

/** Shows nothing of an answer. */
const nothing = (): null => null;

/** Hosts give a tool call up after a minute. */
const BUDGET_MS = 45_000;
const PRODUCTS_PER_PAGE = 50;
const ORDERS_PER_PAGE = 10;
const PURCHASE_ORDERS_V2 = "/api/V2/PurchaseOrders";

/**
 * What is sent of a record: members that are undefined or null are left out, and what is left out keeps what is stored.
 * Names are those of the service.
 */
type Values = Readonly<Record<string, unknown>>;

function get(what: string, path: string, query?: Operation["query"]): Operation {
  return { what, method: "GET", path, ...(query === undefined ? {} : { query }) };
}

function post(what: string, path: string, body?: unknown): Operation {
  return { what, method: "POST", path, ...(body === undefined ? {} : { body }) };
}

/** The record of a read with a filter that `isIt`; the service may answer others besides. */
function oneOf<T>(items: readonly T[], isIt: (item: T) => boolean): T | null {
  return items.find(isIt) ?? null;
}

/**
 * The product that a code means: it is what people call it, or its id. Two different ones are refused, because what is
 * done to one must not happen to the other.
 */
function theProduct<P extends { readonly code: string; readonly productId: string }>(
  code: string,
  found: readonly P[],
): P | null {
  const exact = found.filter((product) => product.code === code || product.productId === code);
  const ids = [...new Set(exact.map((product) => product.productId))];
  if (ids.length > 1) {
    throw new AmofError(
      "stocktrim_refused",
      `Cannot tell which product "${code}" is: it is the code of one and the id of another`,
      { hint: "Name it by the id that nothing else is called", details: { product_ids: ids } },
    );
  }
  return exact[0] ?? null;
}

/** The service, for one call: it has one deadline for everything that is asked of it. Pages count from 0. */
export class StockTrim {
  readonly #service: Service;

  /** Use {@linkcode openStockTrim}. */
  constructor(service: Service) {
    this.#service = service;
  }

  #delete(
    what: string,
    path: string,
    query: Record<string, string>,
  ): Promise<ChangeOutcome<never>> {
    return this.#service.change<never>(
      { what: `delete ${what}`, method: "DELETE", path, query },
      nothing,
    );
  }

  /** Products, by the code or the id that is exactly so. */
  readonly products = {
    /** Two of one name are refused, so that none is taken for the other. */
    get: async (code: string): Promise<records.Product | null> =>
      theProduct(
        code,
        await this.#service.list(
          get(`look up product "${code}"`, "/api/Products", { code }),
          records.product,
        ),
      ),
    page: (page: number): Promise<Page<records.Product>> =>
      this.#service.page(
        get("list products", "/api/Products", { pageNo: page }),
        records.product,
        PRODUCTS_PER_PAGE,
      ),
    /** Writes over a product with the same id: look first. A list of suppliers takes the place of the stored one. */
    save: (
      input: Values & { readonly productId: string },
    ): Promise<ChangeOutcome<records.Product>> =>
      this.#service.change(
        post(`save product "${input.productId}"`, "/api/Products", input),
        first(records.product),
      ),
    delete: (productId: string): Promise<ChangeOutcome<never>> =>
      this.#delete(`product "${productId}"`, "/api/Products", { productId }),
  };

  /** Customers, all in one answer; thousands were seen. */
  readonly customers = {
    get: async (code: string): Promise<records.Customer | null> => {
      const name = segment(code);
      if (name === null) return null;
      const operation = get(`look up customer "${code}"`, `/api/Customers/${name}`);
      const found = await this.#service.list(operation, records.customer);
      return oneOf(found, (customer) => customer.code === code);
    },
    list: (): Promise<readonly records.Customer[]> =>
      this.#service.all(get("list customers", "/api/Customers"), records.customer),
  };

  /** Suppliers, by their code, or by their name where they have none. */
  readonly suppliers = {
    get: async (code: string): Promise<records.Supplier | null> => {
      const operation = get(`look up supplier "${code}"`, "/api/Suppliers", { code });
      const found = await this.#service.list(operation, records.supplier);
      return oneOf(found, ({ supplierCode }) => supplierCode === code) ??
        oneOf(found, (other) => other.supplierCode === null && other.supplierName === code);
    },
    list: (): Promise<readonly records.Supplier[]> =>
      this.#service.all(get("list suppliers", "/api/SuppliersBulk"), records.supplier),
    /** Writes over a supplier with the same code: look first. */
    save: (
      input: Values & { readonly supplierCode: string },
    ): Promise<ChangeOutcome<records.Supplier>> =>
      this.#service.change(
        post(`save supplier "${input.supplierCode}"`, "/api/Suppliers", [input]),
        first(records.supplier),
      ),
    delete: (supplierCodeOrName: string): Promise<ChangeOutcome<never>> =>
      this.#delete(`supplier "${supplierCodeOrName}"`, "/api/Suppliers", { supplierCodeOrName }),
  };

  /** Places where stock lies. */
  readonly locations = {
    get: async (code: string): Promise<records.Location | null> => {
      const operation = get(`look up location "${code}"`, "/api/Locations", { code });
      const found = await this.#service.list(operation, records.location);
      return oneOf(found, ({ locationCode }) => locationCode === code);
    },
    list: (): Promise<readonly records.Location[]> =>
      this.#service.all(get("list locations", "/api/Locations"), records.location),
    create: (
      input: { readonly locationCode: string; readonly locationName: string },
    ): Promise<ChangeOutcome<records.Location>> =>
      this.#service.change(
        // The older way also takes a location with the same name for the same one.
        post(`create location "${input.locationCode}"`, "/api/V2/Locations", input),
        first(records.location),
      ),
  };

  /** The stock of products, as a whole or at one location. */
  readonly inventory = {
    set: (input: Values & { readonly productId: string }): Promise<ChangeOutcome<never>> =>
      this.#service.change<never>(
        post(`set the stock of product "${input.productId}"`, "/api/Inventory", {
          inventory: [input],
        }),
        nothing,
      ),
  };

  /** Orders at suppliers, by either of their references. */
  readonly purchaseOrders = {
    get: async (reference: string): Promise<records.PurchaseOrder | null> => {
      const isCalled = (order: records.PurchaseOrder) =>
        order.referenceNumber === reference || order.clientReferenceNumber === reference;
      const what = `look up purchase order "${reference}"`;
      const name = segment(reference);
      const found = name === null ? [] : await this.#service.list(
        get(what, `${PURCHASE_ORDERS_V2}/${name}`),
        records.purchaseOrder,
      );
      // The older way also finds what the newer one does not, where an account has it.
      const older = () =>
        this.#service.list(
          get(what, "/api/PurchaseOrders", { referenceNumber: reference }),
          records.purchaseOrder,
        );
      return oneOf(found, isCalled) ?? oneOf(await older(), isCalled);
    },
    page: (
      { page, pageSize = ORDERS_PER_PAGE, status }: {
        readonly page: number;
        readonly pageSize?: number;
        readonly status?: PurchaseOrderStatus | undefined;
      },
    ): Promise<Page<records.PurchaseOrder>> =>
      this.#service.page(
        get("list purchase orders", PURCHASE_ORDERS_V2, { page, pageSize, status }),
        records.purchaseOrder,
        pageSize,
      ),
    /** Writes over an order with the same `clientReferenceNumber`: look first. Its date is ISO 8601. */
    create: (
      { supplierCode, supplierName, locationCode, lines, ...order }: Values & {
        readonly supplierCode: string;
        readonly lines: readonly Values[];
      },
    ): Promise<ChangeOutcome<records.PurchaseOrder>> =>
      this.#service.change(
        post(`create a purchase order for supplier "${supplierCode}"`, "/api/PurchaseOrders", {
          ...order,
          supplier: { supplierCode, supplierName },
          location: locationCode === undefined ? undefined : { locationCode },
          purchaseOrderLineItems: lines,
        }),
        first(records.purchaseOrder),
      ),
    delete: (referenceNumber: string): Promise<ChangeOutcome<never>> =>
      this.#delete(`purchase order "${referenceNumber}"`, "/api/PurchaseOrders", {
        referenceNumber,
      }),
    /** Makes draft orders of what the order plan recommends; there is no category here. */
    generate: (filter: Values): Promise<ChangeOutcome<readonly records.PurchaseOrder[]>> =>
      this.#service.change(
        post("generate purchase orders", `${PURCHASE_ORDERS_V2}/OrderPlan`, filter),
        (value) => read(value, records.purchaseOrder),
      ),
  };

  /** Orders of customers: those of one product, or of all where none is named. */
  readonly salesOrders = {
    list: async (productId?: string): Promise<readonly records.SalesOrder[]> => {
      const path = "/api/SalesOrders";
      if (productId === undefined) {
        return await this.#service.all(get("list sales orders", path), records.salesOrder);
      }
      const operation = get(`list the sales orders of product "${productId}"`, path, { productId });
      const found = await this.#service.list(operation, records.salesOrder);
      return found.filter((order) => order.productId === productId);
    },
    /** With the `externalReferenceId` of one that exists its new contents: look first. Its date is ISO 8601. */
    create: (
      { orderDate, locationCode, customerCode, ...line }: Values & { readonly productId: string },
    ): Promise<ChangeOutcome<records.SalesOrder>> =>
      this.#service.change(
        {
          what: `create a sales order for product "${line.productId}"`,
          method: "PUT",
          path: "/api/SalesOrdersBulk",
          body: { orderDate, locationCode, customerCode, saleOrderLineItems: [line] },
        },
        first(records.salesOrder),
      ),
    /** Deletes all orders of one product. */
    deleteOfProduct: (productId: string): Promise<ChangeOutcome<never>> =>
      this.#delete(`the sales orders of product "${productId}"`, "/api/SalesOrders", { productId }),
  };

  /** What the service would order, and when; one value of each filter. */
  readonly orderPlan = {
    page: async (filter: Values, page: number, perPage: number): Promise<Page<records.Sku>> => {
      const answer = await this.#service.value(
        post("read the order plan", "/api/OrderPlan", present({ ...filter, page, perPage })),
      );
      const { results, filterCriteria } = rows(answer)[0] ?? {};
      const { hasNextPage } = rows(filterCriteria)[0] ?? {};
      const items = read(results, records.sku);
      return typeof hasNextPage === "boolean"
        ? { items, more: hasNextPage }
        : pageOf(items, rows(results).length, perPage);
    },
  };

  /** The calculation of the forecast. */
  readonly forecast = {
    run: (): Promise<ChangeOutcome<never>> =>
      this.#service.change<never>(
        post("start the forecast", "/api/RunForecastCalculations"),
        nothing,
      ),
    status: async (): Promise<records.ProcessingStatus> =>
      records.processingStatus(
        await this.#service.value(get("see how far the forecast is", "/api/ProcessingStatus")),
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
  return new StockTrim(new Service(new Transport(at, readAccount(at.system.env), budgetMs)));
}
