/**
 * Looking a supplier up by what a caller calls it.
 *
 * @module
 */

import { AmofError } from "../../../base/error.ts";
import { shellWord } from "../../../base/text/words.ts";
import type { StockTrim } from "../client/client.ts";
import type { Supplier } from "../client/records.ts";
import { notFound } from "../ended.ts";
import { shown } from "../shown.ts";

/** The command that lists suppliers. */
const SUPPLIER_LIST = "amof stocktrim supplier list";

/** The command that tells how a supplier stands. */
export function supplierReader(code: string): string {
  return `amof stocktrim supplier get ${shellWord(shown(code))}`;
}

/** The supplier with this code, or without a code and of this name; throws `stocktrim_not_found`. */
export async function requireSupplier(stocktrim: StockTrim, code: string): Promise<Supplier> {
  const supplier = await stocktrim.suppliers.get(code);
  if (supplier === null) throw notFound("supplier", code, SUPPLIER_LIST);
  return supplier;
}

/** What the service calls a supplier: its code, or its name where it has none. */
export function keyOf({ supplierCode, supplierName }: Supplier): string {
  return supplierCode ?? supplierName ?? "";
}

/**
 * Throws where the word that a supplier is deleted by may also mean another one: the service takes codes and names for
 * the same.
 */
export async function requireUnambiguous(stocktrim: StockTrim, supplier: Supplier): Promise<void> {
  const key = keyOf(supplier).toLowerCase();
  const alike = (await stocktrim.suppliers.list()).filter((other) =>
    [other.supplierCode, other.supplierName].some((word) => word?.toLowerCase() === key)
  );
  if (alike.length <= 1) return;
  throw new AmofError(
    "stocktrim_refused",
    `Cannot delete supplier "${
      shown(key)
    }": ${alike.length} suppliers have that as their code or name, and StockTrim deletes by either`,
    {
      hint: `Rename the others in StockTrim first\nSee them: ${SUPPLIER_LIST}`,
      details: { alike: alike.map((other) => shown(keyOf(other))) },
    },
  );
}
