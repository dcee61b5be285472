/**
 * Reading the order plan whole, over all pages and for several locations and suppliers, which the service only takes
 * one of at a time.
 *
 * @module
 */

import type { OrderPlanFilter, StockTrim } from "./client/client.ts";
import type { Sku } from "./client/records.ts";

/** What of the order plan is wanted. */
interface PlanWish {
  readonly search?: string | undefined;
  readonly category?: string | undefined;
  readonly locations: readonly string[];
  readonly suppliers: readonly string[];
}

/** The rows, and whether these are all. */
interface PlanRows {
  readonly rows: readonly Sku[];
  readonly complete: boolean;
}

const PER_PAGE = 100;
/** With more pages than these of one filter the answer says that it is not complete. */
const MOST_PAGES = 20;

/** Every combination of filters, each with one value. */
function filtersOf({ search, category, locations, suppliers }: PlanWish): OrderPlanFilter[] {
  const places = locations.length === 0 ? [undefined] : locations;
  const sources = suppliers.length === 0 ? [undefined] : suppliers;
  return places.flatMap((location) =>
    sources.map((supplier) => ({
      currentStatus: "Current" as const,
      ...(search === undefined ? {} : { searchString: search }),
      ...(category === undefined ? {} : { category }),
      ...(location === undefined ? {} : { location }),
      ...(supplier === undefined ? {} : { supplier }),
    }))
  );
}

/** The rows that are wanted, each once. */
export async function planRows(stocktrim: StockTrim, wish: PlanWish): Promise<PlanRows> {
  const rows = new Map<string, Sku>();
  let complete = true;
  for (const filter of filtersOf(wish)) {
    for (let page = 0;; page++) {
      if (page === MOST_PAGES) {
        complete = false;
        break;
      }
      const { items, more } = await stocktrim.orderPlan.page(filter, page, PER_PAGE);
      for (const row of items) rows.set(`${row.productCode}\n${row.locationName ?? ""}`, row);
      // A page without rows is the end, whatever the service says of it.
      if (!more || items.length === 0) break;
    }
  }
  return { rows: [...rows.values()], complete };
}
