/**
 * `amof stocktrim product search`: products by words, or all of them page by page (STOCKTRIM-3).
 *
 * @module
 */

import { query } from "../../../contract/mod.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import type { Product, Sku } from "../client/records.ts";
import { STOCKTRIM } from "../declare.ts";
import { service } from "../service.ts";
import { money, quantity, shown } from "../shown.ts";

interface FoundProduct {
  readonly code: string;
  /** Null in answers to a search: the service searches its order plan, which does not tell it. */
  readonly product_id: string | null;
  readonly name: string | null;
  readonly category: string | null;
  readonly discontinued: boolean;
  readonly cost: number | null;
  readonly price: number | null;
  readonly stock_on_hand: number | null;
  readonly stock_on_order: number | null;
}

interface SearchData {
  readonly products: readonly FoundProduct[];
  readonly page: number;
  /** To give as `page`; null behind the last one. */
  readonly next_page: number | null;
}

function ofProduct(product: Product): FoundProduct {
  return {
    code: product.code,
    product_id: product.productId,
    name: product.name,
    category: product.category,
    discontinued: product.discontinued,
    cost: product.cost,
    price: product.price,
    stock_on_hand: product.stockOnHand,
    stock_on_order: product.stockOnOrder,
  };
}

function ofRow(row: Sku): FoundProduct {
  return {
    code: row.productCode,
    product_id: null,
    name: row.name,
    category: row.category,
    discontinued: row.isDiscontinued,
    cost: row.skuCost,
    price: row.skuPrice,
    stock_on_hand: row.stockOnHand,
    stock_on_order: row.stockOnOrder,
  };
}

/** `amof stocktrim product search`. */
export const searchProducts = query({
  ...STOCKTRIM,
  name: "stocktrim_products_search",
  path: ["stocktrim", "product", "search"],
  next: ["stocktrim_order_plan", "stocktrim_suppliers"],
  title: "Search products",
  summary: "Find StockTrim products by words, or list them page by page; next_page goes on.",
  positionals: ["query"],
  examples: ["stocktrim product search", "stocktrim product search widget --page 1"],
  pages: { member: "products", key: ["code", "product_id"] },
  input: (z) =>
    z.strictObject({
      query: z.string().trim().max(200).optional().describe("Words to search for; all when absent"),
      page: z.int().min(0).max(100_000).default(0).describe("Page, from 0"),
    }),
  async run(ctx, { query: words = "", page }) {
    const { products, orderPlan } = await service(ctx);
    const found = words === "" ? await products.page(page) : await orderPlan.page(
      { searchString: words, currentStatus: "All" },
      page,
      PER_PAGE,
    );
    const items = found.items.map((item) => "productId" in item ? ofProduct(item) : ofRow(item));
    return {
      data: {
        // A product has a row for each location, which are one product here.
        products: [...new Map(items.map((item) => [item.product_id ?? item.code, item])).values()],
        page,
        next_page: found.more ? page + 1 : null,
      },
    };
  },
  render: ({ products, page, next_page: next }: SearchData) => ({
    summary: `Found ${count(products.length, "product")}${
      page === 0 && next === null ? "" : ` on page ${page}`
    }${next === null ? "" : `; more on page ${next}`}.`,
    details: table(
      ["code", "name", "category", "status", "cost", "on hand"],
      products.map((product) => [
        shown(product.code),
        shown(product.name, ""),
        shown(product.category, ""),
        product.discontinued ? "discontinued" : "active",
        money(product.cost),
        quantity(product.stock_on_hand),
      ]),
    ),
  }),
});

const PER_PAGE = 50;
