/**
 * `amof stocktrim supplier delete`: a supplier for good, with everything that is tied to it (STOCKTRIM-5).
 *
 * @module
 */

import { type CommandContext, mutation, type Preview } from "../../../contract/mod.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { deleteVerified } from "../ended.ts";
import { forDeed, forPreview } from "../service.ts";
import { shown } from "../shown.ts";
import { keyOf, requireSupplier, requireUnambiguous, supplierReader } from "./find.ts";
import { supplierLines, type SupplierView, supplierView } from "./view.ts";

interface DeleteFacts {
  /** What the service is told to delete. */
  readonly key: string;
  readonly supplier: SupplierView;
}

interface DeleteData {
  readonly deleted: boolean;
  readonly verified: boolean;
  readonly supplier: SupplierView;
}

async function look(ctx: CommandContext, code: string): Promise<Preview<DeleteFacts, DeleteData>> {
  const stocktrim = await forPreview(ctx);
  const found = await requireSupplier(stocktrim, code);
  await requireUnambiguous(stocktrim, found);
  const supplier = supplierView(found);
  const key = keyOf(found);
  const name = `supplier ${shown(key)}`;
  return {
    facts: { key, supplier },
    subject: {
      name,
      typed: { what: supplier.code === null ? "supplier name" : "supplier code", value: key },
    },
    summary: `Would delete ${name}.`,
    effects: [`Delete ${name} from StockTrim`, "Remove its product mappings and order history"],
    details: supplierLines(supplier),
    irreversible:
      "This also removes its associations, product mappings and purchase order history, for good; it cannot be undone",
    current: `The supplier "${shown(supplier.name, "Unnamed Supplier")}" is in StockTrim`,
    alternatives: ["Keep it: a supplier without products is never ordered from"],
  };
}

/** `amof stocktrim supplier delete`. */
export const deleteSupplier = mutation({
  ...STOCKTRIM,
  name: "stocktrim_supplier_delete",
  path: ["stocktrim", "supplier", "delete"],
  safety: "dangerous-write",
  confirm: "type",
  byPerson: true,
  asks: { deed: "deletion", verb: "delete", will: "delete a supplier from StockTrim for good" },
  next: ["stocktrim_suppliers"],
  title: "Delete supplier",
  summary: "Delete a StockTrim supplier for good, after a person has typed its code; verified.",
  positionals: ["code"],
  examples: ["stocktrim supplier delete ACME"],
  input: (z) => z.strictObject({ code: word(z, "Exact code of the supplier") }),
  preview: (ctx, input) => look(ctx, input.code),
  async execute(ctx, _input, { key, supplier }) {
    const { suppliers } = await forDeed(ctx);
    await deleteVerified({
      what: `supplier ${shown(key)}`,
      reader: supplierReader(key),
      send: () => suppliers.delete(key),
      stands: async () => await suppliers.get(key) !== null,
    });
    return { data: { deleted: true, verified: true, supplier } };
  },
  render: ({ supplier }: DeleteData) => ({
    summary: `Supplier ${shown(supplier.code ?? supplier.name)} deleted successfully.`,
  }),
});
