/**
 * Looking a product up by what a caller calls it.
 *
 * @module
 */

import { shellWord } from "../../../base/text/words.ts";
import type { StockTrim } from "../client/client.ts";
import type { Product } from "../client/records.ts";
import { notFound } from "../ended.ts";
import { shown } from "../shown.ts";

/** The command that lists products. */
const PRODUCT_LIST = "amof stocktrim product search";

/** The command that tells how a product stands. */
export function productReader(code: string): string {
  return `amof stocktrim product get ${shellWord(shown(code))}`;
}

/** The product with this code or id; throws `stocktrim_not_found`. */
export async function requireProduct(stocktrim: StockTrim, code: string): Promise<Product> {
  const product = await stocktrim.products.get(code);
  if (product === null) throw notFound("product", code, PRODUCT_LIST);
  return product;
}
