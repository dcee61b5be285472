/**
 * The operations on orders: at suppliers, of customers, and the plan of what to order.
 *
 * @module
 */

import type { StockTrim } from "./client.ts";
import { oneOf, pageOf, present, read, rows } from "./oddities.ts";
import * as records from "./parse.ts";
import type { PurchaseOrder } from "./records.ts";
import { first, nothing, segment, type Service } from "./service.ts";

const ORDERS_PER_PAGE = 10;
const PURCHASE_ORDERS = "/api/PurchaseOrders";
const PURCHASE_ORDERS_V2 = "/api/V2/PurchaseOrders";

/** Looks a purchase order up by either of its references. */
async function findPurchaseOrder(
  service: Service,
  reference: string,
): Promise<PurchaseOrder | null> {
  const isCalled = (order: PurchaseOrder) =>
    order.referenceNumber === reference || order.clientReferenceNumber === reference;
  const what = `look up purchase order "${reference}"`;
  const name = segment(reference);
  const found = name === null ? [] : await service.list(
    { what, method: "GET", path: `${PURCHASE_ORDERS_V2}/${name}` },
    records.purchaseOrder,
  );
  // The older way also finds what the newer one does not, where an account has it.
  const older = () =>
    service.list(
      { what, method: "GET", path: PURCHASE_ORDERS, query: { referenceNumber: reference } },
      records.purchaseOrder,
    );
  return oneOf(found, isCalled) ?? oneOf(await older(), isCalled);
}

/** Orders at suppliers. */
export function purchaseOrdersOf(service: Service): StockTrim["purchaseOrders"] {
  return {
    get: (reference) => findPurchaseOrder(service, reference),
    page({ page, pageSize = ORDERS_PER_PAGE, status }) {
      return service.page(
        {
          what: "list purchase orders",
          method: "GET",
          path: PURCHASE_ORDERS_V2,
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
          path: PURCHASE_ORDERS,
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
          path: PURCHASE_ORDERS,
          query: { referenceNumber },
        },
        nothing,
      ),
    generate: (filter) =>
      service.change(
        {
          what: "generate purchase orders",
          method: "POST",
          path: `${PURCHASE_ORDERS_V2}/OrderPlan`,
          body: filter,
        },
        (value) => read(value, records.purchaseOrder),
      ),
  };
}

/** Orders of customers. */
export function salesOrdersOf(service: Service): StockTrim["salesOrders"] {
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

/** What the service would order, and when. */
export function orderPlanOf(service: Service): StockTrim["orderPlan"] {
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
