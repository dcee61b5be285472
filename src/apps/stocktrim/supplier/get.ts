/**
 * `amof stocktrim supplier get`: one supplier (STOCKTRIM-3).
 *
 * @module
 */

import { query } from "../../../contract/mod.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { service } from "../service.ts";
import { named } from "../shown.ts";
import { requireSupplier } from "./find.ts";
import { supplierLines, type SupplierView, supplierView } from "./view.ts";

interface GetData {
  readonly supplier: SupplierView;
}

/** `amof stocktrim supplier get`. */
export const getSupplier = query({
  ...STOCKTRIM,
  name: "stocktrim_supplier_get",
  path: ["stocktrim", "supplier", "get"],
  next: ["stocktrim_suppliers", "stocktrim_order_plan"],
  title: "Get supplier",
  summary: "Show a StockTrim supplier by its exact code, or by its name where it has no code.",
  positionals: ["code"],
  examples: ["stocktrim supplier get ACME"],
  input: (z) => z.strictObject({ code: word(z, "Exact code of the supplier") }),
  async run(ctx, input) {
    const supplier = await requireSupplier(await service(ctx), input.code);
    return { data: { supplier: supplierView(supplier) } };
  },
  render: ({ supplier }: GetData) => ({
    summary: `Found supplier ${named(supplier.name, supplier.code)}.`,
    details: supplierLines(supplier),
  }),
});
