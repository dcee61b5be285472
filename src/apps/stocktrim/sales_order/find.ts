/**
 * Where sales orders are looked up.
 *
 * @module
 */

import { shellWord } from "../../../base/text/words.ts";
import { shown } from "../shown.ts";

/** The command that lists sales orders. */
export const SALES_LIST = "amof stocktrim sales-order list";

/** The command that lists the sales orders of one product. */
export function salesReader(product: string): string {
  return `${SALES_LIST} --product ${shellWord(shown(product))}`;
}
