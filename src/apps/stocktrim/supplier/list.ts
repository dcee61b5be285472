/**
 * `amof stocktrim supplier list`: every supplier (STOCKTRIM-3).
 *
 * @module
 */

import { query } from "../../../contract/mod.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { STOCKTRIM } from "../declare.ts";
import { service } from "../service.ts";
import { shown } from "../shown.ts";
import { type SupplierView, supplierView } from "./view.ts";

interface ListData {
  readonly suppliers: readonly SupplierView[];
  readonly total: number;
}

/** `amof stocktrim supplier list`. */
export const listSuppliers = query({
  ...STOCKTRIM,
  name: "stocktrim_suppliers_list",
  path: ["stocktrim", "supplier", "list"],
  next: ["stocktrim_purchase_orders", "stocktrim_order_plan"],
  title: "List suppliers",
  summary: "List the suppliers that StockTrim knows, with codes and contacts.",
  examples: ["stocktrim supplier list", "stocktrim supplier list --json"],
  pages: { member: "suppliers", key: ["code", "name"] },
  input: (z) => z.strictObject({}),
  async run(ctx) {
    const suppliers = (await (await service(ctx)).suppliers.list()).map(supplierView);
    return { data: { suppliers, total: suppliers.length } };
  },
  render: ({ suppliers, total }: ListData) => ({
    summary: `Found ${count(total, "supplier")}.`,
    details: table(
      ["code", "name", "contact", "lead time"],
      suppliers.map((supplier) => [
        shown(supplier.code, ""),
        shown(supplier.name, ""),
        shown(supplier.primary_contact ?? supplier.email, ""),
        supplier.default_lead_time_days,
      ]),
    ),
  }),
});
