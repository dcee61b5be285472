/**
 * StockTrim: products, stock and orders of a shop, kept by an HTTP service of others.
 *
 * @module
 */

export { onlyServer } from "./client/account.ts";
