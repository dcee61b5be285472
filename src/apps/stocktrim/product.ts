/**
 * `amof stocktrim product`: what is sold.
 *
 * A product is found by the code that people call it or by its id, and deleted by the id it was found with
 * (STOCKTRIM-3, STOCKTRIM-5). Saving overwrites nothing unless the call says so (STOCKTRIM-8).
 */

import {
  type InputOf,
  type Mutation,
  mutation,
  type Preview,
  type Query,
  query,
  type ZodNamespace,
} from "../../contract/mod.ts";
import {
  deleting,
  foundOnPage,
  getting,
  paged,
  reader,
  renamed,
  required,
  requireDone,
  rowsOf,
  saving,
  service,
  SERVICE_COMMAND,
  word,
  writtenOver,
} from "./declare.ts";
import { PRODUCT, PRODUCTS, type ProductView } from "./nouns.ts";
import { changeLine, changesOf, type FieldChange, money, quantity, shown } from "./shown.ts";

/** Products on a page of a search. */
const PER_PAGE = 50;

/** `amof stocktrim product search`. */
export const searchProducts: Query = query({
  ...SERVICE_COMMAND,
  name: "stocktrim_products_search",
  path: ["stocktrim", "product", "search"],
  next: ["stocktrim_order_plan", "stocktrim_suppliers"],
  title: "Search products",
  summary: "Find StockTrim products by words, or list them page by page; next_page goes on.",
  positionals: ["query"],
  examples: ["stocktrim product search", "stocktrim product search widget --page 1"],
  pages: { member: "products", key: ["code", "product_id"] },
  input: (z) => ({
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
    const items = found.items.map((item) =>
      "productId" in item
        ? renamed(item, {
          code: "code",
          product_id: "productId",
          name: "name",
          category: "category",
          discontinued: "discontinued",
          cost: "cost",
          price: "price",
          stock_on_hand: "stockOnHand",
          stock_on_order: "stockOnOrder",
        })
        // The service searches its order plan, which does not tell the id.
        : {
          code: item.productCode,
          product_id: null,
          ...renamed(item, {
            name: "name",
            category: "category",
            discontinued: "isDiscontinued",
            cost: "skuCost",
            price: "skuPrice",
            stock_on_hand: "stockOnHand",
            stock_on_order: "stockOnOrder",
          }),
        }
    );
    return {
      data: {
        // A product has a row for each location, which are one product here.
        products: [...new Map(items.map((item) => [item.product_id ?? item.code, item])).values()],
        ...paged(page, found.more),
      },
    };
  },
  render: ({ products, ...at }) => ({
    summary: foundOnPage(products.length, "product", at),
    details: rowsOf(products, {
      code: ({ code }) => shown(code),
      name: ({ name }) => shown(name, ""),
      category: ({ category }) => shown(category, ""),
      status: ({ discontinued }) => discontinued ? "discontinued" : "active",
      cost: ({ cost }) => money(cost),
      "on hand": ({ stock_on_hand }) => quantity(stock_on_hand),
    }),
  }),
});

/** `amof stocktrim product get`. */
export const getProduct: Query = getting(PRODUCTS, {
  name: "stocktrim_product_get",
  path: ["stocktrim", "product", "get"],
  next: ["stocktrim_products", "stocktrim_order_plan"],
  title: "Get product",
  summary: "Show a StockTrim product by its exact code or id: status, cost, stock, suppliers.",
  examples: ["stocktrim product get WIDGET-1", "stocktrim product get 33303389 --json"],
}, { named: ({ code }) => shown(code) });

/** What each word makes of a product: whether it is discontinued, and whether its seasons are ignored. */
const LIFECYCLE = {
  activate: { discontinued: false, ignore_seasonality: false, unstocked: false },
  deactivate: { discontinued: false, ignore_seasonality: true },
  discontinue: { discontinued: true, ignore_seasonality: true },
  unstock: { discontinued: true, ignore_seasonality: true, unstocked: true },
} as const;

const saveInput = (z: ZodNamespace) =>
  z.strictObject({
    code: word(z, "Code of a new product; with update, code or id of a stored one"),
    update: z.boolean().default(false).describe("Change a product that exists"),
    name: word(z, "Name; a new product needs one").optional(),
    category: word(z, "Category").optional(),
    cost: z.number().min(0).optional().describe("Cost of one"),
    price: z.number().min(0).optional().describe("Price of one"),
    supplier: word(z, "Code of its main supplier").optional(),
    lead_time_days: z.int().min(0).optional().describe("Lead time"),
    forecast_period_days: z.int().min(0).optional().describe("Forecast period"),
    service_level_percent: z.number().min(0).max(100).optional().describe("From 0 to 100"),
    minimum_order_quantity: z.number().min(0).optional().describe("Least to order"),
    lifecycle: z.enum(["activate", "deactivate", "discontinue", "unstock"]).optional().describe(
      "What becomes of it: deactivate forecasts without seasons, unstock also keeps no stock",
    ),
  });

type SaveInput = InputOf<ReturnType<typeof saveInput>>;

/** What a call may give a product, each with how a change of it is told. */
const VALUES = [
  ["name", "name"],
  ["category", "category"],
  ["cost", "cost"],
  ["price", "price"],
  ["supplier_code", "supplier"],
  ["lead_time_days", "lead time in days"],
  ["forecast_period_days", "forecast period in days"],
  ["service_level_percent", "service level in percent"],
  ["minimum_order_quantity", "minimum order quantity"],
  ["discontinued", "discontinued"],
  ["ignore_seasonality", "ignores seasons"],
  ["unstocked", "not stocked"],
] as const;

/** What was given, by the names of answers; the rest keeps its stored value. */
function givenOf(
  { supplier, lifecycle, ...input }: SaveInput,
): { readonly [K in typeof VALUES[number][0]]?: FieldChange["to"] | undefined } {
  return {
    ...input,
    supplier_code: supplier,
    ...(lifecycle === undefined ? {} : LIFECYCLE[lifecycle]),
  };
}

/** What is sent: only what was given. */
function bodyOf(input: SaveInput, id: string): { readonly productId: string } {
  const given = givenOf(input);
  const { service_level_percent: percent } = input;
  return {
    productId: id,
    ...Object.fromEntries(VALUES.map(([member]) => [PRODUCT[member], given[member]])),
    ...(percent === undefined ? {} : { serviceLevel: percent / 100 }),
    ...(input.update ? {} : { productCodeReadable: input.code }),
  };
}

/** What would be other than it is stored. */
function compare(input: SaveInput, stored: ProductView | null): readonly FieldChange[] {
  const given = givenOf(input);
  return changesOf(VALUES.map(([member, what]) => {
    const to = given[member];
    return [what, stored?.[member] ?? (typeof to === "boolean" ? false : null), to];
  }));
}

type SaveData = Pick<SaveFacts, "code" | "changes"> & {
  readonly created: boolean;
  /** As the service then showed it; null where it showed nothing. */
  readonly product: ProductView | null;
};

interface SaveFacts {
  readonly product_id: string;
  readonly code: string;
  readonly create: boolean;
  readonly changes: readonly FieldChange[];
}

function create(input: SaveInput): Preview<SaveFacts, SaveData> {
  const { code } = input;
  const changes = compare(input, null);
  return {
    facts: { product_id: code, code, create: true, changes },
    subject: { name: `product ${shown(code)}`, typed: { what: "product code", value: code } },
    summary: `Would create product ${shown(code)}.`,
    effects: [`Create product ${shown(code)} in StockTrim`, ...changes.map(changeLine)],
    current: "There is no product with this code or id",
    alternatives: ["Search for it by its name first: amof stocktrim product search"],
  };
}

function update(input: SaveInput, product: ProductView): Preview<SaveFacts, SaveData> {
  const changes = compare(input, product);
  const { product_id: id, code } = product;
  return {
    facts: { product_id: id, code, create: false, changes },
    subject: { name: `product ${shown(code)}`, typed: { what: "product code", value: code } },
    summary: `Would change ${changes.length} values of product ${shown(code)}.`,
    effects: changes.length === 0 ? ["Change nothing"] : changes.map(changeLine),
    current: `The product "${shown(product.name, "Unnamed Product")}" is stored`,
    alternatives: [`See all of it: ${reader(PRODUCTS, code)}`],
    ...(changes.length > 0
      ? {}
      : { settled: { data: { created: false, changes, product, code } } }),
  };
}

/** `amof stocktrim product save`. */
export const saveProduct: Mutation = mutation({
  ...saving("product"),
  name: "stocktrim_product_save",
  path: ["stocktrim", "product", "save"],
  next: ["stocktrim_products", "stocktrim_order_plan"],
  title: "Save product",
  summary:
    "Create a StockTrim product, or with update change prices, forecast settings, lifecycle.",
  examples: [
    "stocktrim product save WIDGET-9 --name Widget --cost 4.50",
    "stocktrim product save WIDGET-1 --update --lead-time-days 14",
  ],
  input: saveInput,
  raised: ({ update }) => update ? { safety: "dangerous-write", confirm: "simple" } : null,
  async preview(ctx, input) {
    const { found } = await writtenOver(PRODUCTS, ctx, input);
    return found === null ? create(input) : update(input, PRODUCTS.view(found));
  },
  async execute(ctx, input, { product_id: id, code, create, changes }) {
    const { products } = await service(ctx, "execute");
    const saved = requireDone(await products.save(bodyOf(input, id)), reader(PRODUCTS, id));
    return {
      data: {
        created: create,
        changes,
        product: saved === null ? null : PRODUCTS.view(saved),
        code,
      },
    };
  },
  render: ({ created, changes, code }: SaveData) => ({
    summary: created
      ? `Created product ${shown(code)}.`
      : changes.length === 0
      ? `Left product ${shown(code)} as it is: nothing differs.`
      : `Changed ${changes.length} values of product ${shown(code)}.`,
    details: changes.map(changeLine),
  }),
});

/** `amof stocktrim product delete`. */
export const deleteProduct: Mutation = deleting(
  {
    name: "stocktrim_product_delete",
    path: ["stocktrim", "product", "delete"],
    confirm: "simple",
    will: "delete a product from StockTrim for good",
    next: ["stocktrim_products"],
    title: "Delete product",
    summary: "Delete a StockTrim product for good, after a person has agreed, and verify it.",
    examples: ["stocktrim product delete WIDGET-1"],
  },
  PRODUCTS.argument,
  {
    async preview(stocktrim, wanted) {
      const product = PRODUCTS.view(await required(PRODUCTS, stocktrim, wanted));
      const { code } = product;
      const name = `product ${shown(code)}`;
      return {
        facts: { product },
        subject: { name, typed: { what: "product code", value: code } },
        summary: `Would delete ${name}.`,
        effects: [`Delete ${name} from StockTrim`],
        details: PRODUCTS.lines(product),
        irreversible:
          "The product is deleted for good, with its stock, forecast and supplier mappings; this cannot be undone",
        current: `The product "${shown(product.name, "Unnamed Product")}" is ${
          product.discontinued ? "discontinued" : "active"
        }`,
        alternatives: [
          `Keep it and stop ordering it: amof stocktrim product save ${
            shown(code)
          } --update --lifecycle discontinue`,
        ],
      };
    },
    target: ({ product: { product_id: key, code } }) => ({
      key,
      what: `product ${shown(code)}`,
      reader: reader(PRODUCTS, key),
    }),
    send: (stocktrim, id) => stocktrim.products.delete(id),
    // Another one may be called as this one's id.
    stands: async (stocktrim, id) => (await stocktrim.products.get(id))?.productId === id,
    answered: (facts) => facts,
    done: ({ product }) => `Product ${shown(product.code)} deleted successfully.`,
  },
);
