/**
 * Commands about what the StockTrim service keeps: products, customers, suppliers, locations, stock, orders and the
 * forecast.
 *
 * @module
 */

export { onlyServer } from "./client/account.ts";
