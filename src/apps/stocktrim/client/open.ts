/**
 * The StockTrim service that the environment names, over HTTP.
 *
 * @module
 */

import type { System } from "../../../base/system/mod.ts";
import { readAccount } from "./account.ts";
import type { StockTrim } from "./client.ts";
import { oneOf, theProduct } from "./oddities.ts";
import { orderPlanOf, purchaseOrdersOf, salesOrdersOf } from "./orders.ts";
import * as records from "./parse.ts";
import type { Product } from "./records.ts";
import { first, nothing, segment, Service } from "./service.ts";
import { type Operation, Transport } from "./transport.ts";

/** Hosts give a tool call up after a minute. */
const BUDGET_MS = 45_000;
const PRODUCTS_PER_PAGE = 50;

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
