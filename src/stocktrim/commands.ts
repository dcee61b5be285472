/**
 * The commands of this room, for the registry alone: they are loaded together, when one of them is called.
 *
 * @module
 */

export { getCustomer } from "./customer/get.ts";
export { listCustomers } from "./customer/list.ts";
export { runForecast } from "./forecast/run.ts";
export { setInventory } from "./inventory/set.ts";
export { createLocation } from "./location/create.ts";
export { listLocations } from "./location/list.ts";
export { orderPlan } from "./order_plan.ts";
export { deleteProduct } from "./product/delete.ts";
export { getProduct } from "./product/get.ts";
export { saveProduct } from "./product/save.ts";
export { searchProducts } from "./product/search.ts";
export { createPurchaseOrder } from "./purchase_order/create.ts";
export { deletePurchaseOrder } from "./purchase_order/delete.ts";
export { generatePurchaseOrders } from "./purchase_order/generate.ts";
export { getPurchaseOrder } from "./purchase_order/get.ts";
export { listPurchaseOrders } from "./purchase_order/list.ts";
export { createSalesOrder } from "./sales_order/create.ts";
export { deleteSalesOrders } from "./sales_order/delete.ts";
export { listSalesOrders } from "./sales_order/list.ts";
export { deleteSupplier } from "./supplier/delete.ts";
export { getSupplier } from "./supplier/get.ts";
export { listSuppliers } from "./supplier/list.ts";
export { saveSupplier } from "./supplier/save.ts";
