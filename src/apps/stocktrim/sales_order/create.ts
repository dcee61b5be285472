/**
 * `amof stocktrim sales-order create`: a sale of one product; one that exists is never written over (STOCKTRIM-7).
 *
 * @module
 */

import { defined } from "../../../base/object.ts";
import { mutation } from "../../../contract/mod.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { alreadyThere, requireDone } from "../ended.ts";
import { requireProduct } from "../product/find.ts";
import { forDeed, forPreview } from "../service.ts";
import { money, quantity, shown } from "../shown.ts";
import { salesReader } from "./find.ts";

interface CreateData {
  readonly created: boolean;
  readonly product_id: string;
  readonly code: string;
  readonly quantity: number;
  readonly reference: string | null;
}

/** `amof stocktrim sales-order create`. */
export const createSalesOrder = mutation({
  ...STOCKTRIM,
  name: "stocktrim_sales_order_create",
  path: ["stocktrim", "sales-order", "create"],
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "creation", verb: "create", will: "create a sales order in StockTrim" },
  next: ["stocktrim_products"],
  title: "Create sales order",
  summary: "Create a StockTrim sales order of one product; never writes over one.",
  positionals: ["product", "quantity"],
  examples: ["stocktrim sales-order create WIDGET-1 3 --date 2026-11-20 --reference SO-77"],
  input: (z) =>
    z.strictObject({
      product: word(z, "Exact code or id of the product"),
      quantity: z.number().gt(0).describe("How many were sold"),
      date: z.string().regex(/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/).describe(
        "Day of the sale, ISO 8601",
      ),
      unit_price: z.number().min(0).optional().describe("Price of one"),
      reference: word(z, "Your own reference for it").optional(),
      location: word(z, "Code of the location it is from").optional(),
      customer: word(z, "Code of the customer").optional(),
    }),
  async preview(ctx, input) {
    const stocktrim = await forPreview(ctx);
    const product = await requireProduct(stocktrim, input.product);
    const { productId: id, code } = product;
    if (input.reference !== undefined) {
      const there = await stocktrim.salesOrders.list(id);
      if (there.some((order) => order.externalReferenceId === input.reference)) {
        throw alreadyThere(
          "sales order",
          input.reference,
          `See it: ${salesReader(id)}\nTake another one: the same command with --reference NAME`,
        );
      }
    }
    return {
      facts: { product_id: id, code, name: product.name },
      subject: {
        name: `sales order of product ${shown(code)}`,
        typed: { what: "product code", value: code },
      },
      summary: `Would create a sales order of product ${shown(code)}.`,
      effects: [
        `Sell ${quantity(input.quantity)} of product ${shown(code)} on ${shown(input.date)}${
          input.unit_price === undefined ? "" : ` at ${money(input.unit_price)}`
        }`,
      ],
      irreversible: "A single sales order cannot be deleted again, only all of a product",
      current: `The product "${shown(product.name, "Unnamed Product")}" is stored`,
      alternatives: [`See its sales orders: ${salesReader(id)}`],
    };
  },
  async execute(ctx, input, { product_id: id, code }) {
    const { salesOrders } = await forDeed(ctx);
    const outcome = await salesOrders.create({
      productId: id,
      orderDate: input.date,
      quantity: input.quantity,
      ...defined({
        unitPrice: input.unit_price,
        externalReferenceId: input.reference,
        locationCode: input.location,
        customerCode: input.customer,
      }),
    });
    requireDone(outcome, salesReader(id));
    return {
      data: {
        created: true,
        product_id: id,
        code,
        quantity: input.quantity,
        reference: input.reference ?? null,
      },
    };
  },
  render: ({ code, quantity: pieces }: CreateData) => ({
    summary: `Created a sales order of ${quantity(pieces)} of product ${shown(code)}.`,
  }),
});
