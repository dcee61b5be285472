/**
 * `amof stocktrim purchase-order generate`: draft orders of what the order plan recommends (STOCKTRIM-7).
 *
 * @module
 */

import { sha256 } from "../../../base/hash.ts";
import { defined } from "../../../base/object.ts";
import { mutation } from "../../../contract/mod.ts";
import { count } from "../../../base/text/words.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { requireDone } from "../ended.ts";
import { planRows } from "../plan.ts";
import { forDeed, forPreview } from "../service.ts";
import { money, quantity, shown, total } from "../shown.ts";
import { ORDER_LIST } from "./find.ts";
import { orderView, type PurchaseOrderView } from "./view.ts";

interface GenerateData {
  readonly purchase_orders: readonly PurchaseOrderView[];
}

/** No more of what is recommended is shown one by one. */
const SHOWN = 10;

/** `amof stocktrim purchase-order generate`. */
export const generatePurchaseOrders = mutation({
  ...STOCKTRIM,
  name: "stocktrim_purchase_orders_generate",
  path: ["stocktrim", "purchase-order", "generate"],
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "generation", verb: "generate", will: "create draft purchase orders in StockTrim" },
  next: ["stocktrim_purchase_orders"],
  title: "Generate purchase orders",
  summary: "Let StockTrim make draft purchase orders of what its order plan recommends.",
  examples: ["stocktrim purchase-order generate --supplier ACME"],
  flags: { locations: "location", suppliers: "supplier" },
  input: (z) =>
    z.strictObject({
      search: word(z, "Only products that these words find").optional(),
      locations: z.array(word(z, "")).max(20).default([]).describe("Only for these, by code"),
      suppliers: z.array(word(z, "")).max(20).default([]).describe("Only from these, by code"),
    }),
  async preview(ctx, input) {
    const { rows, complete } = await planRows(await forPreview(ctx), input);
    const wanted = rows.filter(({ orderQuantity }) => (orderQuantity ?? 0) > 0);
    const cost = total(
      wanted.map(({ orderQuantity, skuCost }) =>
        orderQuantity === null || skuCost === null ? null : orderQuantity * skuCost
      ),
    );
    const lines = wanted.map(({ productCode, locationName, orderQuantity }) =>
      `Order ${quantity(orderQuantity)} of product ${shown(productCode)}${
        locationName === null ? "" : ` for ${shown(locationName)}`
      }`
    ).toSorted();
    const nothing = wanted.length === 0;
    return {
      facts: {
        items: wanted.length,
        estimated_cost: cost,
        complete,
        plan_sha256: sha256(lines.join("\n")),
      },
      subject: {
        name: "draft purchase orders",
        typed: { what: "word generate", value: "generate" },
      },
      summary: nothing
        ? "Would generate no purchase orders: nothing is recommended."
        : `Would generate draft purchase orders for ${count(wanted.length, "item")}.`,
      effects: [
        ...(nothing
          ? ["Create nothing"]
          : [`Create draft purchase orders for about ${money(cost)} in all`]),
        ...lines.slice(0, SHOWN),
        ...(lines.length > SHOWN ? [`Order ${lines.length - SHOWN} more`] : []),
        ...(complete ? [] : ["Order what stands on further pages of the plan, too"]),
      ],
      current: `The order plan recommends ${count(wanted.length, "item")}`,
      alternatives: ["Look at the plan first: amof stocktrim order-plan"],
      ...(nothing && complete ? { settled: { data: { purchase_orders: [] } } } : {}),
    };
  },
  async execute(ctx, { search, locations, suppliers }) {
    const { purchaseOrders } = await forDeed(ctx);
    const outcome = await purchaseOrders.generate({
      currentStatus: "Current",
      ...defined({ searchString: search }),
      ...(locations.length === 0 ? {} : { locationCodes: locations }),
      ...(suppliers.length === 0 ? {} : { supplierCodes: suppliers }),
    });
    const orders = requireDone(outcome, `${ORDER_LIST} --status Draft`) ?? [];
    return { data: { purchase_orders: orders.map(orderView) } };
  },
  render: ({ purchase_orders: orders }: GenerateData) => ({
    summary: orders.length === 0
      ? "Created no purchase orders."
      : `Created ${count(orders.length, "draft purchase order")}.`,
    details: orders.map((order) =>
      `${shown(order.reference, "without a reference")}: ${
        shown(order.supplier_name ?? order.supplier_code)
      }, ${count(order.lines.length, "item")}, ${money(order.total_cost)}`
    ),
  }),
});
