/** `amof stocktrim order-plan`: what runs out when, and what the service recommends to order (STOCKTRIM-4). */

import { inPool } from "../../base/async/pool.ts";
import type { Fields } from "../../base/object.ts";
import { type Query, query } from "../../contract/mod.ts";
import { blocks } from "../../base/text/parts.ts";
import { count } from "../../base/text/words.ts";
import type { StockTrim } from "./client/client.ts";
import type { Sku } from "./client/records.ts";
import { renamed, rowsOf, service, SERVICE_COMMAND, word } from "./declare.ts";
import { progressOf } from "./forecast.ts";
import { amount, money, quantity, shown } from "./shown.ts";

/** `supplier` is only there where they were asked to be grouped by it; null where the product names none. */
type PlanItem = ReturnType<typeof itemOf> & { readonly supplier?: string | null };

interface SupplierTotal {
  readonly supplier: string | null;
  readonly items: number;
  readonly estimated_cost: number;
}

const SORTS = ["days", "quantity", "code"] as const;

/** Products looked up at once for their suppliers. */
const AT_ONCE = 6;

/** high below 7 days, medium below 14, unknown where no figure is. */
function priorityOf(days: number | null): string {
  return days === null ? "unknown" : days < 7 ? "high" : days < 14 ? "medium" : "low";
}

function itemOf(row: Sku) {
  const { daysUntilStockOut: days, orderQuantity: wanted, skuCost: cost } = row;
  return {
    ...renamed(row, { code: "productCode", name: "name", location: "locationName" }),
    priority: priorityOf(days),
    ...renamed(row, {
      days_until_stock_out: "daysUntilStockOut",
      stock_on_hand: "stockOnHand",
      stock_on_order: "stockOnOrder",
      recommended_quantity: "orderQuantity",
      unit_cost: "skuCost",
    }),
    estimated_cost: amount(wanted, cost),
    ...renamed(row, { safety_stock: "safetyStockLevel", lead_time_days: "leadTimeDays" }),
  };
}

/** The order of two items; what has no figure comes last. */
function compare(sort: typeof SORTS[number]): (a: PlanItem, b: PlanItem) => number {
  const byCode = (a: PlanItem, b: PlanItem) => a.code < b.code ? -1 : a.code > b.code ? 1 : 0;
  switch (sort) {
    case "code":
      return byCode;
    case "days":
      return (a, b) =>
        (a.days_until_stock_out ?? Infinity) === (b.days_until_stock_out ?? Infinity)
          ? byCode(a, b)
          : (a.days_until_stock_out ?? Infinity) - (b.days_until_stock_out ?? Infinity);
    case "quantity":
      return (a, b) =>
        (b.recommended_quantity ?? 0) - (a.recommended_quantity ?? 0) || byCode(a, b);
  }
}

/** The items with their suppliers: each product is asked for by itself, because rows do not name one. */
async function withSuppliers(
  stocktrim: StockTrim,
  items: readonly PlanItem[],
): Promise<readonly PlanItem[]> {
  const codes = [...new Set(items.map(({ code }) => code))];
  const found = await inPool(AT_ONCE, codes, async (code) => {
    const product = await stocktrim.products.get(code);
    return [code, product?.supplierCode ?? product?.suppliers[0]?.supplierId ?? null] as const;
  });
  const suppliers = new Map(found);
  return items.map((item) => ({ ...item, supplier: suppliers.get(item.code) ?? null }));
}

function totalsOf(items: readonly PlanItem[]): readonly SupplierTotal[] {
  return [...Map.groupBy(items, ({ supplier }) => supplier ?? null)].map(([supplier, of]) => ({
    supplier,
    items: of.length,
    estimated_cost: of.reduce((sum, { estimated_cost: cost }) => sum + (cost ?? 0), 0),
  }));
}

/** What of the order plan is wanted. */
interface PlanWish {
  readonly search?: string | undefined;
  readonly category?: string | undefined;
  readonly locations: readonly string[];
  readonly suppliers: readonly string[];
}

const PER_PAGE = 100;
/** With more pages than these of one filter the answer says that it is not complete. */
const MOST_PAGES = 20;

/** Every combination of filters, each with one value: the service takes no more. */
function filtersOf({ search, category, locations, suppliers }: PlanWish): Fields[] {
  const places = locations.length === 0 ? [undefined] : locations;
  const sources = suppliers.length === 0 ? [undefined] : suppliers;
  return places.flatMap((location) =>
    sources.map((supplier) => ({
      currentStatus: "Current",
      searchString: search,
      category,
      location,
      supplier,
    }))
  );
}

/** The rows that are wanted, each once, over all pages. */
export async function planRows(
  stocktrim: StockTrim,
  wish: PlanWish,
): Promise<{ readonly rows: readonly Sku[]; readonly complete: boolean }> {
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

/** `amof stocktrim order-plan`. */
export const orderPlan: Query = query({
  ...SERVICE_COMMAND,
  name: "stocktrim_order_plan",
  path: ["stocktrim", "order-plan"],
  next: ["stocktrim_purchase_orders", "stocktrim_suppliers"],
  title: "Order plan",
  summary: "Show what runs out when in StockTrim, what to order of it, and how far a forecast is.",
  examples: [
    "stocktrim order-plan --days 14",
    "stocktrim order-plan --days 30 --group-by supplier --json",
  ],
  pages: { member: "items", key: ["code", "location"] },
  flags: { locations: "location", suppliers: "supplier" },
  input: (z) => ({
    search: word(z, "Words to search for").optional(),
    category: word(z, "Only of this category").optional(),
    locations: z.array(word(z, "")).max(20).default([]).describe("Only at these"),
    suppliers: z.array(word(z, "")).max(20).default([]).describe("Only from these"),
    days: z.int().min(0).max(3650).optional().describe("Only what runs out within so many days"),
    sort: z.enum(SORTS).default("days").describe("Order of the items"),
    group_by: z.enum(["supplier"]).optional().describe("Adds suppliers and totals of each"),
    limit: z.int().min(1).max(500).default(50).describe("How many items at most"),
  }),
  async run(ctx, input) {
    const stocktrim = await service(ctx);
    const { rows, complete } = await planRows(stocktrim, input);
    const { days, sort, limit, group_by } = input;
    const wanted = rows.map(itemOf).filter((item) =>
      days === undefined ||
      (item.days_until_stock_out !== null && item.days_until_stock_out <= days)
    ).toSorted(compare(sort));
    const shownItems = wanted.slice(0, limit);
    const items = group_by === undefined ? shownItems : await withSuppliers(stocktrim, shownItems);
    const status = await progressOf(stocktrim);
    return {
      data: {
        items,
        total: wanted.length,
        complete,
        suppliers: group_by === undefined ? null : totalsOf(items),
        forecast: status === null ? null : {
          is_processing: status.isProcessing,
          percent: status.percentageComplete,
          message: status.statusMessage,
        },
      },
    };
  },
  render: ({ items, total, complete, suppliers, forecast }) => ({
    summary: `Found ${count(total, "item")}${
      items.length < total ? `, the first ${items.length} shown` : ""
    }.`,
    details: blocks(
      rowsOf(items, {
        product: (item) => shown(item.code),
        name: (item) => shown(item.name, ""),
        location: (item) => shown(item.location, ""),
        priority: (item) => item.priority,
        "days left": (item) => item.days_until_stock_out,
        "on hand": (item) => quantity(item.stock_on_hand),
        order: (item) => quantity(item.recommended_quantity),
        cost: (item) => money(item.estimated_cost),
      }),
      suppliers === null ? null : rowsOf(suppliers, {
        supplier: ({ supplier }) => shown(supplier, "none"),
        items: ({ items }) => items,
        "estimated cost": ({ estimated_cost: cost }) => money(cost),
      }),
      complete ? null : "The plan has more pages than are read at once: narrow it down.",
      forecast?.is_processing === true
        ? `A calculation goes on (${
          forecast.percent ?? 0
        } %), so that these figures are older than it.`
        : null,
    ),
  }),
});
