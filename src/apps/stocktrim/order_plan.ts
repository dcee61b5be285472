/**
 * `amof stocktrim order-plan`: what runs out when, and what the service recommends to order (STOCKTRIM-4).
 *
 * @module
 */

import { inPool } from "../../base/async/pool.ts";
import { AmofError } from "../../base/error.ts";
import { query } from "../../contract/mod.ts";
import { blocks } from "../../base/text/parts.ts";
import { table } from "../../base/text/table.ts";
import { count } from "../../base/text/words.ts";
import type { StockTrim } from "./client/client.ts";
import type { ProcessingStatus, Sku } from "./client/records.ts";
import { STOCKTRIM, word } from "./declare.ts";
import { planRows } from "./plan.ts";
import { service } from "./service.ts";
import { money, quantity, shown } from "./shown.ts";

interface PlanItem {
  readonly code: string;
  readonly name: string | null;
  readonly location: string | null;
  /** high below 7 days, medium below 14, unknown where no figure is. */
  readonly priority: "high" | "medium" | "low" | "unknown";
  readonly days_until_stock_out: number | null;
  readonly stock_on_hand: number | null;
  readonly stock_on_order: number | null;
  readonly recommended_quantity: number | null;
  readonly unit_cost: number | null;
  readonly estimated_cost: number | null;
  readonly safety_stock: number | null;
  readonly lead_time_days: number | null;
  /** Only where they were asked to be grouped by it; null where the product names none. */
  readonly supplier?: string | null;
}

interface SupplierTotal {
  readonly supplier: string | null;
  readonly items: number;
  readonly estimated_cost: number;
}

interface PlanData {
  readonly items: readonly PlanItem[];
  /** How many fit the filters; the items are the first of them. */
  readonly total: number;
  /** Whether all pages of the service were read. */
  readonly complete: boolean;
  readonly suppliers: readonly SupplierTotal[] | null;
  /** How far a calculation is; null where the service does not tell. */
  readonly forecast: {
    readonly is_processing: boolean;
    readonly percent: number | null;
    readonly message: string | null;
  } | null;
}

const SORTS = ["days", "quantity", "code"] as const;

/** Products looked up at once for their suppliers. */
const AT_ONCE = 6;

function itemOf(row: Sku): PlanItem {
  const days = row.daysUntilStockOut;
  const { orderQuantity: wanted, skuCost: cost } = row;
  return {
    code: row.productCode,
    name: row.name,
    location: row.locationName,
    priority: days === null ? "unknown" : days < 7 ? "high" : days < 14 ? "medium" : "low",
    days_until_stock_out: days,
    stock_on_hand: row.stockOnHand,
    stock_on_order: row.stockOnOrder,
    recommended_quantity: wanted,
    unit_cost: cost,
    estimated_cost: wanted === null || cost === null ? null : wanted * cost,
    safety_stock: row.safetyStockLevel,
    lead_time_days: row.leadTimeDays,
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
  const groups = new Map<string | null, PlanItem[]>();
  for (const item of items) {
    const key = item.supplier ?? null;
    groups.set(key, [...groups.get(key) ?? [], item]);
  }
  return [...groups].map(([supplier, of]) => ({
    supplier,
    items: of.length,
    estimated_cost: of.reduce((sum, { estimated_cost: cost }) => sum + (cost ?? 0), 0),
  }));
}

/** How far a calculation is; the plan is worth showing without it. */
async function progress(stocktrim: StockTrim): Promise<ProcessingStatus | null> {
  try {
    return await stocktrim.forecast.status();
  } catch (thrown) {
    if (thrown instanceof AmofError) return null;
    throw thrown;
  }
}

/** `amof stocktrim order-plan`. */
export const orderPlan = query({
  ...STOCKTRIM,
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
  input: (z) =>
    z.strictObject({
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
    const status = await progress(stocktrim);
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
  render: ({ items, total, complete, suppliers, forecast }: PlanData) => ({
    summary: `Found ${count(total, "item")}${
      items.length < total ? `, the first ${items.length} shown` : ""
    }.`,
    details: blocks(
      table(
        ["product", "name", "location", "priority", "days left", "on hand", "order", "cost"],
        items.map((item) => [
          shown(item.code),
          shown(item.name, ""),
          shown(item.location, ""),
          item.priority,
          item.days_until_stock_out,
          quantity(item.stock_on_hand),
          quantity(item.recommended_quantity),
          money(item.estimated_cost),
        ]),
      ),
      suppliers === null ? null : table(
        ["supplier", "items", "estimated cost"],
        suppliers.map(({ supplier, items, estimated_cost: cost }) => [
          shown(supplier, "none"),
          items,
          money(cost),
        ]),
      ),
      complete ? null : "The plan has more pages than are read at once: narrow it down.",
      forecast?.is_processing === true
        ? `A calculation goes on (${
          forecast.percent ?? 0
        } %), so that these figures are older than it.`
        : null,
    ),
  }),
});
