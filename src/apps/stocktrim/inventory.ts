/** `amof stocktrim inventory set`: the stock of a product, as a whole or at one location (STOCKTRIM-7). */

import { AmofError } from "../../base/error.ts";
import { type Mutation, mutation } from "../../contract/mod.ts";
import {
  notFound,
  reader,
  required,
  requireDone,
  service,
  SERVICE_COMMAND,
  word,
} from "./declare.ts";
import { PRODUCTS } from "./nouns.ts";
import { changeLine, changesOf, shown } from "./shown.ts";

/** `amof stocktrim inventory set`. */
export const setInventory: Mutation = mutation({
  ...SERVICE_COMMAND,
  name: "stocktrim_inventory_set",
  path: ["stocktrim", "inventory", "set"],
  safety: "dangerous-write",
  confirm: "simple",
  idempotent: true,
  asks: { deed: "change", will: "set stock figures in StockTrim" },
  next: ["stocktrim_products", "stocktrim_order_plan"],
  title: "Set inventory",
  summary: "Set the stock of a StockTrim product on hand or on order, at one location or in all.",
  positionals: ["product"],
  examples: ["stocktrim inventory set WIDGET-1 --on-hand 12 --location WH-1"],
  input: (z) => ({
    product: word(z, "Exact code or id of the product"),
    on_hand: z.number().min(0).optional().describe("How many are there"),
    on_order: z.number().min(0).optional().describe("How many are on order"),
    location: word(z, "Code of a location; the product as a whole when absent").optional(),
  }),
  async preview(ctx, { product: wanted, on_hand, on_order, location }) {
    if (on_hand === undefined && on_order === undefined) {
      throw new AmofError("invalid_arguments", "Cannot set the stock: no figure is given", {
        hint: "Give --on-hand, --on-order or both",
        details: { issues: [{ path: "on_hand", problem: "is missing, and so is on_order" }] },
      });
    }
    const stocktrim = await service(ctx, "preview");
    const product = await required(PRODUCTS, stocktrim, wanted);
    const place = location === undefined ? null : await stocktrim.locations.get(location);
    if (location !== undefined && place === null) {
      throw notFound("location", location, "amof stocktrim location list");
    }
    const stored = location === undefined
      ? product
      : product.stockLocations.find(({ locationCode }) => locationCode === location);
    const changes = changesOf([
      ["on hand", stored?.stockOnHand ?? null, on_hand],
      ["on order", stored?.stockOnOrder ?? null, on_order],
    ]);
    const { productId: id, code } = product;
    const at = location === undefined ? "" : ` at ${shown(location)}`;
    return {
      facts: {
        product_id: id,
        code,
        location: location === undefined
          ? null
          : { code: location, name: place?.locationName ?? null },
        changes,
      },
      subject: {
        name: `stock of product ${shown(code)}`,
        typed: { what: "product code", value: code },
      },
      summary: `Would set the stock of product ${shown(code)}${at}.`,
      effects: changes.length === 0 ? ["Change nothing"] : changes.map(changeLine),
      current: `The product "${shown(product.name, "Unnamed Product")}" is stored`,
      alternatives: [`See its stock: ${reader(PRODUCTS, code)}`],
      ...(changes.length > 0 ? {} : {
        settled: { data: { product_id: id, code, location: location ?? null, changes } },
      }),
    };
  },
  async execute(ctx, { on_hand, on_order }, { product_id: id, code, location, changes }) {
    const { inventory } = await service(ctx, "execute");
    const outcome = await inventory.set({
      productId: id,
      stockOnHand: on_hand,
      stockOnOrder: on_order,
      locationCode: location?.code,
      locationName: location?.name,
    });
    requireDone(outcome, reader(PRODUCTS, id));
    return { data: { product_id: id, code, location: location?.code ?? null, changes } };
  },
  render: ({ code, location, changes }) => ({
    summary: changes.length === 0
      ? `Left the stock of product ${shown(code)} as it is: nothing differs.`
      : `Changed the stock of product ${shown(code)}${
        location === null ? "" : ` at ${shown(location)}`
      }.`,
    details: changes.map(changeLine),
  }),
});
