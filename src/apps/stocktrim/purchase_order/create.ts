/**
 * `amof stocktrim purchase-order create`: a new purchase order; one that exists is never written over (STOCKTRIM-7).
 *
 * @module
 */

import { AmofError } from "../../../base/error.ts";
import { defined } from "../../../base/object.ts";
import { mutation } from "../../../contract/mod.ts";
import type { StockTrim } from "../client/client.ts";
import { STATUSES, STOCKTRIM, word } from "../declare.ts";
import { alreadyThere, requireDone } from "../ended.ts";
import { requireProduct } from "../product/find.ts";
import { forDeed, forPreview } from "../service.ts";
import { money, named, quantity, shown, total } from "../shown.ts";
import { requireSupplier } from "../supplier/find.ts";
import { ORDER_LIST, orderReader } from "./find.ts";
import { orderView, type PurchaseOrderView } from "./view.ts";

interface Line {
  readonly product_id: string;
  readonly code: string;
  readonly quantity: number;
  readonly unit_price: number | null;
}

interface CreateData {
  readonly created: boolean;
  /** As the service then showed it; null where it showed nothing. */
  readonly purchase_order: PurchaseOrderView | null;
  readonly reference: string | null;
}

/** A line as it is written: `WIDGET-1=10` or `WIDGET-1=10@4.50`. */
const LINE = /^(.+)=(\d+(?:\.\d+)?)(?:@(\d+(?:\.\d+)?))?$/;

async function lineOf(stocktrim: StockTrim, written: string): Promise<Line> {
  const [, code = "", pieces = "", price] = LINE.exec(written) ?? [];
  if (Number(pieces) <= 0) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot order "${shown(written)}": a line is CODE=QUANTITY or CODE=QUANTITY@PRICE`,
      {
        hint: "Write lines as WIDGET-1=10@4.50, with more than 0 pieces",
        details: { issues: [{ path: "lines", problem: "is no CODE=QUANTITY@PRICE" }] },
      },
    );
  }
  const product = await requireProduct(stocktrim, code);
  return {
    product_id: product.productId,
    code: product.code,
    quantity: Number(pieces),
    unit_price: price === undefined ? null : Number(price),
  };
}

/** `amof stocktrim purchase-order create`. */
export const createPurchaseOrder = mutation({
  ...STOCKTRIM,
  name: "stocktrim_purchase_order_create",
  path: ["stocktrim", "purchase-order", "create"],
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "creation", verb: "create", will: "create a purchase order in StockTrim" },
  next: ["stocktrim_purchase_orders"],
  title: "Create purchase order",
  summary: "Create a StockTrim purchase order of CODE=QUANTITY@PRICE lines; never writes over one.",
  positionals: ["supplier", "lines"],
  examples: ["stocktrim purchase-order create ACME WIDGET-1=10@4.50 --reference PO-2001"],
  input: (z) =>
    z.strictObject({
      supplier: word(z, "Exact code of the supplier"),
      lines: z.array(word(z, "")).min(1).max(100).describe("CODE=QUANTITY or CODE=QUANTITY@PRICE"),
      reference: word(z, "Your own reference for it").optional(),
      status: z.enum(STATUSES).default("Draft").describe("How far it is"),
      date: z.string().regex(/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/).optional()
        .describe("Order date, ISO 8601; now when absent"),
      location: word(z, "Code of the location it is for").optional(),
    }),
  async preview(ctx, { supplier: wanted, lines: written, reference, status }) {
    const stocktrim = await forPreview(ctx);
    const supplier = await requireSupplier(stocktrim, wanted);
    if (reference !== undefined && await stocktrim.purchaseOrders.get(reference) !== null) {
      throw alreadyThere(
        "purchase order",
        reference,
        `See it: ${
          orderReader(reference)
        }\nTake another one: the same command with --reference NAME`,
      );
    }
    const lines: Line[] = [];
    for (const line of written) lines.push(await lineOf(stocktrim, line));
    const cost = total(
      lines.map((line) => line.unit_price === null ? null : line.quantity * line.unit_price),
    );
    const name = reference === undefined
      ? `order from ${shown(supplier.supplierCode ?? wanted)}`
      : `purchase order ${shown(reference)}`;
    return {
      facts: {
        supplier_code: supplier.supplierCode ?? wanted,
        supplier_name: supplier.supplierName,
        status,
        lines,
        total_cost: cost,
      },
      subject: { name, typed: { what: "supplier code", value: wanted } },
      summary: `Would create a purchase order for ${
        named(supplier.supplierName, supplier.supplierCode)
      }.`,
      effects: [
        `Create ${name} as ${status}, for ${money(cost)} in all`,
        ...lines.map((line) =>
          `Order ${quantity(line.quantity)} of product ${shown(line.code)}${
            line.unit_price === null ? "" : ` at ${money(line.unit_price)}`
          }`
        ),
      ],
      current: reference === undefined
        ? "It would get a number from StockTrim"
        : "There is no purchase order with this reference",
      alternatives: [`See those there are: ${ORDER_LIST}`],
    };
  },
  async execute(ctx, input, { supplier_code, supplier_name, status, lines }) {
    const { purchaseOrders } = await forDeed(ctx);
    const { reference } = input;
    const outcome = await purchaseOrders.create({
      supplierCode: supplier_code,
      lines: lines.map((line) => ({
        productId: line.product_id,
        quantity: line.quantity,
        ...(line.unit_price === null ? {} : { unitPrice: line.unit_price }),
      })),
      status,
      orderDate: input.date ?? new Date(ctx.system.clock.now()).toISOString(),
      ...defined({
        supplierName: supplier_name ?? undefined,
        locationCode: input.location,
        clientReferenceNumber: reference,
      }),
    });
    const saved = requireDone(
      outcome,
      reference === undefined ? ORDER_LIST : orderReader(reference),
    );
    const order = saved === null ? null : orderView(saved);
    return {
      data: {
        created: true,
        purchase_order: order,
        reference: order?.reference ?? reference ?? null,
      },
    };
  },
  render: ({ reference }: CreateData) => ({
    summary: reference === null
      ? "Created a purchase order."
      : `Created purchase order ${shown(reference)}.`,
  }),
});
