/**
 * Commands about what the StockTrim service keeps: products, customers, suppliers, locations, stock, orders and the
 * forecast.
 *
 * @module
 */

import type { Command } from "../contract/mod.ts";
import { getCustomer } from "./customer/get.ts";
import { listCustomers } from "./customer/list.ts";
import { runForecast } from "./forecast/run.ts";
import { setInventory } from "./inventory/set.ts";
import { createLocation } from "./location/create.ts";
import { listLocations } from "./location/list.ts";
import { orderPlan } from "./order_plan.ts";
import { deleteProduct } from "./product/delete.ts";
import { getProduct } from "./product/get.ts";
import { saveProduct } from "./product/save.ts";
import { searchProducts } from "./product/search.ts";
import { createPurchaseOrder } from "./purchase_order/create.ts";
import { deletePurchaseOrder } from "./purchase_order/delete.ts";
import { generatePurchaseOrders } from "./purchase_order/generate.ts";
import { getPurchaseOrder } from "./purchase_order/get.ts";
import { listPurchaseOrders } from "./purchase_order/list.ts";
import { createSalesOrder } from "./sales_order/create.ts";
import { deleteSalesOrders } from "./sales_order/delete.ts";
import { listSalesOrders } from "./sales_order/list.ts";
import { deleteSupplier } from "./supplier/delete.ts";
import { getSupplier } from "./supplier/get.ts";
import { listSuppliers } from "./supplier/list.ts";
import { saveSupplier } from "./supplier/save.ts";

export { onlyServer } from "./client/account.ts";
export type { FakeStockTrim } from "./fake/server.ts";
export { startStandIn } from "./fake/start.ts";

/** All of them, in the order of help and tool list. */
export const STOCKTRIM_COMMANDS: readonly Command[] = [
  searchProducts,
  getProduct,
  saveProduct,
  deleteProduct,
  listCustomers,
  getCustomer,
  listSuppliers,
  getSupplier,
  saveSupplier,
  deleteSupplier,
  listLocations,
  createLocation,
  setInventory,
  listPurchaseOrders,
  getPurchaseOrder,
  createPurchaseOrder,
  deletePurchaseOrder,
  generatePurchaseOrders,
  listSalesOrders,
  createSalesOrder,
  deleteSalesOrders,
  orderPlan,
  runForecast,
];
