/**
 * `amof stocktrim supplier`: who delivers (STOCKTRIM-3). Deleting one takes everything with it that is tied to it
 * (STOCKTRIM-5); saving writes over nothing unless it is told to (STOCKTRIM-8).
 */

import { AmofError } from "../../base/error.ts";
import {
  type CommandContext,
  type InputOf,
  type Mutation,
  mutation,
  type Preview,
  type Query,
  type ZodNamespace,
} from "../../contract/mod.ts";
import type { StockTrim } from "./client/client.ts";
import type { Supplier } from "./client/records.ts";
import {
  deleting,
  getting,
  listing,
  listReader,
  reader,
  required,
  requireDone,
  saving,
  service,
  word,
  writtenOver,
} from "./declare.ts";
import { PRODUCTS, SUPPLIER, SUPPLIERS } from "./nouns.ts";
import { changeLine, changesOf, type FieldChange, named, shown } from "./shown.ts";

/** `amof stocktrim supplier get`. */
export const getSupplier: Query = getting(SUPPLIERS, {
  name: "stocktrim_supplier_get",
  path: ["stocktrim", "supplier", "get"],
  next: ["stocktrim_suppliers", "stocktrim_order_plan"],
  title: "Get supplier",
  summary: "Show a StockTrim supplier by its exact code, or by its name where it has no code.",
  examples: ["stocktrim supplier get ACME"],
}, { named: ({ name, code }) => named(name, code) });

/** `amof stocktrim supplier list`. */
export const listSuppliers: Query = listing("supplier", {
  name: "stocktrim_suppliers_list",
  path: ["stocktrim", "supplier", "list"],
  next: ["stocktrim_purchase_orders", "stocktrim_order_plan"],
  title: "List suppliers",
  summary: "List the suppliers that StockTrim knows, with codes and contacts.",
  examples: ["stocktrim supplier list", "stocktrim supplier list --json"],
  pages: { member: "suppliers", key: ["code", "name"] },
}, {
  all: async ({ suppliers }) => (await suppliers.list()).map(SUPPLIERS.view),
  columns: {
    code: ({ code }) => shown(code, ""),
    name: ({ name }) => shown(name, ""),
    contact: ({ primary_contact, email }) => shown(primary_contact ?? email, ""),
    "lead time": ({ default_lead_time_days: days }) => days,
  },
});

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

/** What a call may give a supplier, each with how a change of it is told. */
const VALUES = [
  ["name", "name"],
  ["email", "e-mail"],
  ["primary_contact", "contact"],
  ["default_lead_time_days", "lead time in days"],
  ["street_address", "street"],
  ["address_line_1", "address line 1"],
  ["address_line_2", "address line 2"],
  ["state", "state"],
  ["country", "country"],
  ["post_code", "post code"],
] as const;

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
  readonly changes: readonly FieldChange[];
  readonly mappings: readonly Mapping[];
}

interface Mapped extends Mapping {
  readonly status: "ok" | "failed" | "unknown";
  readonly message: string | null;
}

interface SaveData {
  readonly created: boolean;
  readonly code: string;
  readonly changes: readonly FieldChange[];
  readonly mappings: readonly Mapped[];
}

/** The products by what a caller calls them, those left out that the supplier delivers already. */
async function mappingsOf(
  stocktrim: StockTrim,
  { code, products }: SaveInput,
): Promise<readonly Mapping[]> {
  const mappings: Mapping[] = [];
  for (const entry of products) {
    const at = entry.lastIndexOf("=");
    const product = await required(PRODUCTS, stocktrim, at < 0 ? entry : entry.slice(0, at));
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

async function saved(
  ctx: CommandContext,
  input: SaveInput,
): Promise<Preview<SaveFacts, SaveData>> {
  const { code } = input;
  const { stocktrim, found } = await writtenOver(SUPPLIERS, ctx, input);
  const stored = found === null ? null : SUPPLIERS.view(found);
  const changes = changesOf(
    VALUES.map(([member, what]) => [what, stored?.[member] ?? null, input[member]]),
  );
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
    const product = await required(PRODUCTS, stocktrim, mapping.product_id);
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
export const saveSupplier: Mutation = mutation({
  ...saving("supplier"),
  name: "stocktrim_supplier_save",
  path: ["stocktrim", "supplier", "save"],
  next: ["stocktrim_suppliers", "stocktrim_products"],
  title: "Save supplier",
  summary:
    "Create a StockTrim supplier, or with update change it; adds it to products it delivers.",
  examples: [
    "stocktrim supplier save ACME --name 'Acme Ltd' --email sales@acme.test",
    "stocktrim supplier save ACME --update --products WIDGET-1=A-100",
  ],
  input: saveInput,
  raised: ({ update, products }) =>
    update || products.length > 0 ? { safety: "dangerous-write", confirm: "simple" } : null,
  preview: saved,
  async execute(ctx, input, { code, create, changes, mappings }) {
    const stocktrim = await service(ctx, "execute");
    if (create || changes.length > 0) {
      requireDone(
        await stocktrim.suppliers.save({
          supplierCode: code,
          ...Object.fromEntries(VALUES.map(([member]) => [SUPPLIER[member], input[member]])),
        }),
        reader(SUPPLIERS, code),
      );
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
          hint: `See how it stands: ${reader(PRODUCTS, bad.code)}`,
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

/** What the service calls a supplier: its code, or its name where it has none. */
function keyOf({ supplierCode, supplierName }: Supplier): string {
  return supplierCode ?? supplierName ?? "";
}

/**
 * Throws where the word that a supplier is deleted by may also mean another one: the service takes codes and names for
 * the same.
 */
async function requireUnambiguous(stocktrim: StockTrim, supplier: Supplier): Promise<void> {
  const key = keyOf(supplier).toLowerCase();
  const alike = (await stocktrim.suppliers.list()).filter((other) =>
    [other.supplierCode, other.supplierName].some((word) => word?.toLowerCase() === key)
  );
  if (alike.length <= 1) return;
  throw new AmofError(
    "stocktrim_refused",
    `Cannot delete supplier "${
      shown(key)
    }": ${alike.length} suppliers have that as their code or name, and StockTrim deletes by either`,
    {
      hint: `Rename the others in StockTrim first\nSee them: ${listReader(SUPPLIERS)}`,
      details: { alike: alike.map((other) => shown(keyOf(other))) },
    },
  );
}

/** `amof stocktrim supplier delete`. */
export const deleteSupplier: Mutation = deleting(
  {
    name: "stocktrim_supplier_delete",
    path: ["stocktrim", "supplier", "delete"],
    confirm: "type",
    will: "delete a supplier from StockTrim for good",
    next: ["stocktrim_suppliers"],
    title: "Delete supplier",
    summary: "Delete a StockTrim supplier for good, after a person has typed its code; verified.",
    examples: ["stocktrim supplier delete ACME"],
  },
  SUPPLIERS.argument,
  {
    async preview(stocktrim, code) {
      const found = await required(SUPPLIERS, stocktrim, code);
      await requireUnambiguous(stocktrim, found);
      const supplier = SUPPLIERS.view(found);
      const key = keyOf(found);
      const name = `supplier ${shown(key)}`;
      return {
        facts: { key, supplier },
        subject: {
          name,
          typed: { what: supplier.code === null ? "supplier name" : "supplier code", value: key },
        },
        summary: `Would delete ${name}.`,
        effects: [
          `Delete ${name} from StockTrim`,
          "Remove its product mappings and order history",
        ],
        details: SUPPLIERS.lines(supplier),
        irreversible:
          "This also removes its associations, product mappings and purchase order history, for good; it cannot be undone",
        current: `The supplier "${shown(supplier.name, "Unnamed Supplier")}" is in StockTrim`,
        alternatives: ["Keep it: a supplier without products is never ordered from"],
      };
    },
    target: ({ key }) => ({ key, what: `supplier ${shown(key)}`, reader: reader(SUPPLIERS, key) }),
    send: ({ suppliers }, key) => suppliers.delete(key),
    stands: async ({ suppliers }, key) => await suppliers.get(key) !== null,
    answered: ({ supplier }) => ({ supplier }),
    done: ({ supplier }) =>
      `Supplier ${shown(supplier.code ?? supplier.name)} deleted successfully.`,
  },
);
