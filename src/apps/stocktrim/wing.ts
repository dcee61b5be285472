/** StockTrim, as the core knows it. */

import type { Wing } from "../../runs/mod.ts";
import { onlyServer } from "./client/account.ts";

/** The stock service of a shop. */
export const STOCKTRIM: Wing = {
  service: onlyServer,
  commands: {
    stocktrim_products_search: async () => (await import("./product.ts")).searchProducts,
    stocktrim_product_get: async () => (await import("./product.ts")).getProduct,
    stocktrim_product_save: async () => (await import("./product.ts")).saveProduct,
    stocktrim_product_delete: async () => (await import("./product.ts")).deleteProduct,
    stocktrim_customers_list: async () => (await import("./customer.ts")).listCustomers,
    stocktrim_customer_get: async () => (await import("./customer.ts")).getCustomer,
    stocktrim_suppliers_list: async () => (await import("./supplier.ts")).listSuppliers,
    stocktrim_supplier_get: async () => (await import("./supplier.ts")).getSupplier,
    stocktrim_supplier_save: async () => (await import("./supplier.ts")).saveSupplier,
    stocktrim_supplier_delete: async () => (await import("./supplier.ts")).deleteSupplier,
    stocktrim_locations_list: async () => (await import("./location.ts")).listLocations,
    stocktrim_location_create: async () => (await import("./location.ts")).createLocation,
    stocktrim_inventory_set: async () => (await import("./inventory.ts")).setInventory,
    stocktrim_purchase_orders_list: async () =>
      (await import("./purchase_order.ts")).listPurchaseOrders,
    stocktrim_purchase_order_get: async () =>
      (await import("./purchase_order.ts")).getPurchaseOrder,
    stocktrim_purchase_order_create: async () =>
      (await import("./purchase_order.ts")).createPurchaseOrder,
    stocktrim_purchase_order_delete: async () =>
      (await import("./purchase_order.ts")).deletePurchaseOrder,
    stocktrim_purchase_orders_generate: async () =>
      (await import("./purchase_order.ts")).generatePurchaseOrders,
    stocktrim_sales_orders_list: async () => (await import("./sales_order.ts")).listSalesOrders,
    stocktrim_sales_order_create: async () => (await import("./sales_order.ts")).createSalesOrder,
    stocktrim_sales_orders_delete: async () => (await import("./sales_order.ts")).deleteSalesOrders,
    stocktrim_order_plan: async () => (await import("./order_plan.ts")).orderPlan,
    stocktrim_forecast_run: async () => (await import("./forecast.ts")).runForecast,
  },
};
