/**
 * `amof stocktrim product save`: a new product, or with `--update` other values of one that exists (STOCKTRIM-8).
 *
 * @module
 */

import { AmofError } from "../../../base/error.ts";
import { defined } from "../../../base/object.ts";
import {
  type CommandContext,
  type InputOf,
  mutation,
  type Preview,
  type ZodNamespace,
} from "../../../contract/mod.ts";
import { type Change, changeLine, changesOf } from "../changes.ts";
import type { ProductInput } from "../client/client.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { alreadyThere, requireDone } from "../ended.ts";
import { forDeed, forPreview } from "../service.ts";
import { shown } from "../shown.ts";
import { productReader, requireProduct } from "./find.ts";
import { type ProductView, productView } from "./view.ts";

/** What each word makes of a product: whether it is discontinued, and whether its seasons are ignored. */
const LIFECYCLE = {
  activate: { discontinued: false, ignoreSeasonality: false, unstocked: false },
  deactivate: { discontinued: false, ignoreSeasonality: true },
  discontinue: { discontinued: true, ignoreSeasonality: true },
  unstock: { discontinued: true, ignoreSeasonality: true, unstocked: true },
} as const;

interface SaveFacts {
  readonly product_id: string;
  readonly code: string;
  readonly create: boolean;
  readonly changes: readonly Change[];
}

interface SaveData {
  readonly created: boolean;
  readonly changes: readonly Change[];
  /** As the service then showed it; null where it showed nothing. */
  readonly product: ProductView | null;
  readonly code: string;
}

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

/** What is sent: only what was given, because the rest keeps its stored value. */
function bodyOf(input: SaveInput, id: string): ProductInput {
  return {
    productId: id,
    ...defined({
      name: input.name,
      category: input.category,
      cost: input.cost,
      price: input.price,
      supplierCode: input.supplier,
      leadTime: input.lead_time_days,
      forecastPeriod: input.forecast_period_days,
      serviceLevel: input.service_level_percent === undefined
        ? undefined
        : input.service_level_percent / 100,
      minimumOrderQuantity: input.minimum_order_quantity,
    }),
    ...(input.lifecycle === undefined ? {} : LIFECYCLE[input.lifecycle]),
    ...(input.update ? {} : { productCodeReadable: input.code }),
  };
}

/** What would be other than it is stored. */
function compare(input: SaveInput, stored: ProductView | null): readonly Change[] {
  const state: { discontinued?: boolean; ignoreSeasonality?: boolean; unstocked?: boolean } =
    input.lifecycle === undefined ? {} : LIFECYCLE[input.lifecycle];
  return changesOf([
    ["name", stored?.name ?? null, input.name],
    ["category", stored?.category ?? null, input.category],
    ["cost", stored?.cost ?? null, input.cost],
    ["price", stored?.price ?? null, input.price],
    ["supplier", stored?.supplier_code ?? null, input.supplier],
    ["lead time in days", stored?.lead_time_days ?? null, input.lead_time_days],
    ["forecast period in days", stored?.forecast_period_days ?? null, input.forecast_period_days],
    [
      "service level in percent",
      stored?.service_level_percent ?? null,
      input.service_level_percent,
    ],
    [
      "minimum order quantity",
      stored?.minimum_order_quantity ?? null,
      input.minimum_order_quantity,
    ],
    ["discontinued", stored?.discontinued ?? false, state.discontinued],
    ["ignores seasons", stored?.ignore_seasonality ?? false, state.ignoreSeasonality],
    ["not stocked", stored?.unstocked ?? false, state.unstocked],
  ]);
}

async function create(
  ctx: CommandContext,
  input: SaveInput,
): Promise<Preview<SaveFacts, SaveData>> {
  const { code, name } = input;
  if (name === undefined) {
    throw new AmofError("invalid_arguments", `Cannot create product "${shown(code)}" unnamed`, {
      hint: "Name it with --name NAME, or change one that exists with --update",
      details: { issues: [{ path: "name", problem: "is needed for a new product" }] },
    });
  }
  const there = await (await forPreview(ctx)).products.get(code);
  if (there !== null) {
    throw alreadyThere("product", code, "Change the stored one: repeat the command with --update");
  }
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

async function update(
  ctx: CommandContext,
  input: SaveInput,
): Promise<Preview<SaveFacts, SaveData>> {
  const product = productView(await requireProduct(await forPreview(ctx), input.code));
  const changes = compare(input, product);
  const { product_id: id, code } = product;
  return {
    facts: { product_id: id, code, create: false, changes },
    subject: { name: `product ${shown(code)}`, typed: { what: "product code", value: code } },
    summary: `Would change ${changes.length} values of product ${shown(code)}.`,
    effects: changes.length === 0 ? ["Change nothing"] : changes.map(changeLine),
    current: `The product "${shown(product.name, "Unnamed Product")}" is stored`,
    alternatives: [`See all of it: ${productReader(code)}`],
    ...(changes.length > 0
      ? {}
      : { settled: { data: { created: false, changes, product, code } } }),
  };
}

/** `amof stocktrim product save`. */
export const saveProduct = mutation({
  ...STOCKTRIM,
  name: "stocktrim_product_save",
  path: ["stocktrim", "product", "save"],
  safety: "safe-write",
  confirm: "none",
  asks: { deed: "change", will: "change a product in StockTrim" },
  next: ["stocktrim_products", "stocktrim_order_plan"],
  title: "Save product",
  summary:
    "Create a StockTrim product, or with update change prices, forecast settings, lifecycle.",
  positionals: ["code"],
  examples: [
    "stocktrim product save WIDGET-9 --name Widget --cost 4.50",
    "stocktrim product save WIDGET-1 --update --lead-time-days 14",
  ],
  input: saveInput,
  raised: ({ update }) => update ? { safety: "dangerous-write", confirm: "simple" } : null,
  preview: (ctx, input) => input.update ? update(ctx, input) : create(ctx, input),
  async execute(ctx, input, { product_id: id, code, create, changes }) {
    const { products } = await forDeed(ctx);
    const saved = requireDone(await products.save(bodyOf(input, id)), productReader(id));
    return {
      data: {
        created: create,
        changes,
        product: saved === null ? null : productView(saved),
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
