/**
 * `amof stocktrim product get`: one product (STOCKTRIM-3).
 *
 * @module
 */

import { query } from "../../../contract/mod.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { service } from "../service.ts";
import { shown } from "../shown.ts";
import { requireProduct } from "./find.ts";
import { productLines, type ProductView, productView } from "./view.ts";

interface GetData {
  readonly product: ProductView;
}

/** `amof stocktrim product get`. */
export const getProduct = query({
  ...STOCKTRIM,
  name: "stocktrim_product_get",
  path: ["stocktrim", "product", "get"],
  next: ["stocktrim_products", "stocktrim_order_plan"],
  title: "Get product",
  summary: "Show a StockTrim product by its exact code or id: status, cost, stock, suppliers.",
  positionals: ["code"],
  examples: ["stocktrim product get WIDGET-1", "stocktrim product get 33303389 --json"],
  input: (z) => z.strictObject({ code: word(z, "Exact code or id of the product") }),
  async run(ctx, input) {
    const product = await requireProduct(await service(ctx), input.code);
    return { data: { product: productView(product) } };
  },
  render: ({ product }: GetData) => ({
    summary: `Found product ${shown(product.code)}.`,
    details: productLines(product),
  }),
});
