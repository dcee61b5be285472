/**
 * `amof stocktrim supplier save`: a new supplier, or with `--update` other values of one that exists, and the products
 * that it delivers (STOCKTRIM-8).
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
import type { StockTrim, SupplierInput } from "../client/client.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { alreadyThere, requireDone } from "../ended.ts";
import { productReader, requireProduct } from "../product/find.ts";
import { forDeed, forPreview } from "../service.ts";
import { shown } from "../shown.ts";
import { requireSupplier, supplierReader } from "./find.ts";
import { type SupplierView, supplierView } from "./view.ts";

/** A product that the supplier delivers. */
interface Mapping {
  readonly product_id: string;
  readonly code: string;
  /** What the supplier calls it; null where nobody says. */
  readonly supplier_product_code: string | null;
}

interface SaveFacts {
  readonly code: string;
  readonly create: boolean;
  readonly changes: readonly Change[];
  readonly mappings: readonly Mapping[];
}

interface Mapped extends Mapping {
  readonly status: "ok" | "failed" | "unknown";
  readonly message: string | null;
}

interface SaveData {
  readonly created: boolean;
  readonly code: string;
  readonly changes: readonly Change[];
  readonly mappings: readonly Mapped[];
}

const saveInput = (z: ZodNamespace) =>
  z.strictObject({
    code: word(z, "Code of the supplier"),
    update: z.boolean().default(false).describe("Change a supplier that exists"),
    name: word(z, "Name; a new supplier needs one").optional(),
    email: word(z, "E-mail address").optional(),
    primary_contact: word(z, "Name of the person to speak to").optional(),
    default_lead_time_days: z.int().min(0).optional().describe("Lead time of its products"),
    street_address: word(z, "Street and number").optional(),
    address_line_1: word(z, "First line of the address").optional(),
    address_line_2: word(z, "Second line of the address").optional(),
    state: word(z, "State").optional(),
    country: word(z, "Country").optional(),
    post_code: word(z, "Post code").optional(),
    products: z.array(word(z, "")).max(20).default([]).describe(
      "Products that it delivers: CODE, or CODE=what the supplier calls it",
    ),
  });

type SaveInput = InputOf<ReturnType<typeof saveInput>>;

function compare(input: SaveInput, stored: SupplierView | null): readonly Change[] {
  return changesOf([
    ["name", stored?.name ?? null, input.name],
    ["e-mail", stored?.email ?? null, input.email],
    ["contact", stored?.primary_contact ?? null, input.primary_contact],
    ["lead time in days", stored?.default_lead_time_days ?? null, input.default_lead_time_days],
    ["street", stored?.street_address ?? null, input.street_address],
    ["address line 1", stored?.address_line_1 ?? null, input.address_line_1],
    ["address line 2", stored?.address_line_2 ?? null, input.address_line_2],
    ["state", stored?.state ?? null, input.state],
    ["country", stored?.country ?? null, input.country],
    ["post code", stored?.post_code ?? null, input.post_code],
  ]);
}

function bodyOf(input: SaveInput): SupplierInput {
  return {
    supplierCode: input.code,
    ...defined({
      supplierName: input.name,
      emailAddress: input.email,
      primaryContactName: input.primary_contact,
      defaultLeadTime: input.default_lead_time_days,
      streetAddress: input.street_address,
      addressLine1: input.address_line_1,
      addressLine2: input.address_line_2,
      state: input.state,
      country: input.country,
      postCode: input.post_code,
    }),
  };
}

/** The products by what a caller calls them, those left out that the supplier delivers already. */
async function mappingsOf(
  stocktrim: StockTrim,
  { code, products }: SaveInput,
): Promise<readonly Mapping[]> {
  const mappings: Mapping[] = [];
  for (const entry of products) {
    const at = entry.lastIndexOf("=");
    const product = await requireProduct(stocktrim, at < 0 ? entry : entry.slice(0, at));
    const called = at < 0 ? null : entry.slice(at + 1);
    const there = product.suppliers.find((supplier) => supplier.supplierId === code);
    if (there !== undefined && (called === null || there.supplierSkuCode === called)) continue;
    mappings.push({
      product_id: product.productId,
      code: product.code,
      supplier_product_code: called,
    });
  }
  return mappings;
}

async function look(
  ctx: CommandContext,
  input: SaveInput,
): Promise<Preview<SaveFacts, SaveData>> {
  const { code, name } = input;
  if (!input.update && name === undefined) {
    throw new AmofError("invalid_arguments", `Cannot create supplier "${shown(code)}" unnamed`, {
      hint: "Name it with --name NAME, or change one that exists with --update",
      details: { issues: [{ path: "name", problem: "is needed for a new supplier" }] },
    });
  }
  const stocktrim = await forPreview(ctx);
  const found = input.update
    ? await requireSupplier(stocktrim, code)
    : await stocktrim.suppliers.get(code);
  if (!input.update && found !== null) {
    throw alreadyThere("supplier", code, "Change the stored one: repeat the command with --update");
  }
  const changes = compare(input, found === null ? null : supplierView(found));
  const mappings = await mappingsOf(stocktrim, input);
  const create = found === null;
  const effects = [
    ...(create ? [`Create supplier ${shown(code)} in StockTrim`] : []),
    ...changes.map(changeLine),
    ...mappings.map(({ code: product, supplier_product_code: called }) =>
      `Add it to the suppliers of product ${shown(product)}${
        called === null ? "" : `, as ${shown(called)}`
      }`
    ),
  ];
  return {
    facts: { code, create, changes, mappings },
    subject: { name: `supplier ${shown(code)}`, typed: { what: "supplier code", value: code } },
    summary: `Would ${create ? "create" : "change"} supplier ${shown(code)}.`,
    effects: effects.length === 0 ? ["Change nothing"] : effects,
    current: create
      ? "There is no supplier with this code"
      : `The supplier "${shown(found.supplierName, "Unnamed Supplier")}" is stored`,
    alternatives: [`See those there are: amof stocktrim supplier list`],
    ...(effects.length > 0
      ? {}
      : { settled: { data: { created: false, code, changes, mappings: [] } } }),
  };
}

/** Adds the supplier to those of a product; the list that is sent takes the place of the stored one. */
async function map(stocktrim: StockTrim, mapping: Mapping, by: SaveInput): Promise<Mapped> {
  try {
    const product = await requireProduct(stocktrim, mapping.product_id);
    const others = product.suppliers.filter(({ supplierId }) => supplierId !== by.code);
    const outcome = await stocktrim.products.save({
      productId: product.productId,
      suppliers: [...others, {
        supplierId: by.code,
        supplierName: by.name ?? null,
        supplierSkuCode: mapping.supplier_product_code,
      }],
    });
    if (outcome.state === "done") return { ...mapping, status: "ok", message: null };
    return { ...mapping, status: outcome.state, message: outcome.error.message };
  } catch (thrown) {
    if (!(thrown instanceof AmofError)) throw thrown;
    return { ...mapping, status: "failed", message: thrown.message };
  }
}

/** `amof stocktrim supplier save`. */
export const saveSupplier = mutation({
  ...STOCKTRIM,
  name: "stocktrim_supplier_save",
  path: ["stocktrim", "supplier", "save"],
  safety: "safe-write",
  confirm: "none",
  asks: { deed: "change", will: "change a supplier in StockTrim" },
  next: ["stocktrim_suppliers", "stocktrim_products"],
  title: "Save supplier",
  summary:
    "Create a StockTrim supplier, or with update change it; adds it to products it delivers.",
  positionals: ["code"],
  examples: [
    "stocktrim supplier save ACME --name 'Acme Ltd' --email sales@acme.test",
    "stocktrim supplier save ACME --update --products WIDGET-1=A-100",
  ],
  input: saveInput,
  raised: ({ update, products }) =>
    update || products.length > 0 ? { safety: "dangerous-write", confirm: "simple" } : null,
  preview: look,
  async execute(ctx, input, { code, create, changes, mappings }) {
    const stocktrim = await forDeed(ctx);
    if (create || changes.length > 0) {
      requireDone(await stocktrim.suppliers.save(bodyOf(input)), supplierReader(code));
    }
    const mapped: Mapped[] = [];
    for (const mapping of mappings) mapped.push(await map(stocktrim, mapping, input));
    const data = { created: create, code, changes, mappings: mapped };
    const [bad] = mapped.filter(({ status }) => status !== "ok");
    if (bad === undefined) return { data };
    return {
      data,
      failure: new AmofError(
        "partial_failure",
        `Saved supplier "${shown(code)}", but not all of its products: ${bad.message}`,
        {
          hint: `See how it stands: ${productReader(bad.code)}`,
          details: { mappings: mapped },
        },
      ),
    };
  },
  render: ({ created, code, changes, mappings }: SaveData) => ({
    summary: created
      ? `Created supplier ${shown(code)}.`
      : changes.length + mappings.length === 0
      ? `Left supplier ${shown(code)} as it is: nothing differs.`
      : `Changed supplier ${shown(code)}.`,
    details: [
      ...changes.map(changeLine),
      ...mappings.map((mapping) =>
        `Product ${shown(mapping.code)}: ${mapping.status}${
          mapping.message === null ? "" : `, ${shown(mapping.message)}`
        }`
      ),
    ],
  }),
});
