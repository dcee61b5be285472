/**
 * `amof stocktrim product delete`: a product for good, by the id it was found with (STOCKTRIM-5).
 *
 * @module
 */

import { type CommandContext, mutation, type Preview } from "../../../contract/mod.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { deleteVerified } from "../ended.ts";
import { forDeed, forPreview } from "../service.ts";
import { shown } from "../shown.ts";
import { productReader, requireProduct } from "./find.ts";
import { productLines, type ProductView, productView } from "./view.ts";

interface DeleteFacts {
  readonly product: ProductView;
}

interface DeleteData {
  readonly deleted: boolean;
  readonly verified: boolean;
  readonly product: ProductView;
}

async function look(
  ctx: CommandContext,
  code: string,
): Promise<Preview<DeleteFacts, DeleteData>> {
  const product = productView(await requireProduct(await forPreview(ctx), code));
  const name = `product ${shown(product.code)}`;
  return {
    facts: { product },
    subject: { name, typed: { what: "product code", value: product.code } },
    summary: `Would delete ${name}.`,
    effects: [`Delete ${name} from StockTrim`],
    details: productLines(product),
    irreversible:
      "The product is deleted for good, with its stock, forecast and supplier mappings; this cannot be undone",
    current: `The product "${shown(product.name, "Unnamed Product")}" is ${
      product.discontinued ? "discontinued" : "active"
    }`,
    alternatives: [
      `Keep it and stop ordering it: amof stocktrim product save ${
        shown(product.code)
      } --update --lifecycle discontinue`,
    ],
  };
}

/** `amof stocktrim product delete`. */
export const deleteProduct = mutation({
  ...STOCKTRIM,
  name: "stocktrim_product_delete",
  path: ["stocktrim", "product", "delete"],
  safety: "dangerous-write",
  confirm: "simple",
  byPerson: true,
  asks: { deed: "deletion", verb: "delete", will: "delete a product from StockTrim for good" },
  next: ["stocktrim_products"],
  title: "Delete product",
  summary: "Delete a StockTrim product for good, after a person has agreed, and verify it.",
  positionals: ["code"],
  examples: ["stocktrim product delete WIDGET-1"],
  input: (z) => z.strictObject({ code: word(z, "Exact code or id of the product") }),
  preview: (ctx, input) => look(ctx, input.code),
  async execute(ctx, _input, { product }) {
    const stocktrim = await forDeed(ctx);
    const { product_id: id, code } = product;
    await deleteVerified({
      what: `product ${shown(code)}`,
      reader: productReader(id),
      send: () => stocktrim.products.delete(id),
      // Another one may be called as this one's id.
      stands: async () => (await stocktrim.products.get(id))?.productId === id,
    });
    return { data: { deleted: true, verified: true, product } };
  },
  render: ({ product }: DeleteData) => ({
    summary: `Product ${shown(product.code)} deleted successfully.`,
  }),
});
