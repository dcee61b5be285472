/**
 * `amof stocktrim customer list`: every customer (STOCKTRIM-3).
 *
 * @module
 */

import { query } from "../../../contract/mod.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { STOCKTRIM } from "../declare.ts";
import { service } from "../service.ts";
import { shown } from "../shown.ts";

interface ListedCustomer {
  readonly code: string;
  readonly name: string | null;
  readonly email: string | null;
}

interface ListData {
  readonly customers: readonly ListedCustomer[];
  readonly total: number;
}

/** `amof stocktrim customer list`. */
export const listCustomers = query({
  ...STOCKTRIM,
  name: "stocktrim_customers_list",
  path: ["stocktrim", "customer", "list"],
  next: ["stocktrim_products", "stocktrim_purchase_orders"],
  title: "List customers",
  summary: "List the customers that StockTrim knows: code, name and e-mail address.",
  examples: ["stocktrim customer list", "stocktrim customer list --search shop"],
  pages: { member: "customers", key: "code" },
  input: (z) =>
    z.strictObject({
      search: z.string().trim().max(200).optional().describe("Part of the code or name"),
    }),
  async run(ctx, { search = "" }) {
    const all = await (await service(ctx)).customers.list();
    const wanted = search.toLowerCase();
    const customers = all
      .map(({ code, name, emailAddress }) => ({ code, name, email: emailAddress }))
      .filter(({ code, name }) => `${code}\n${name ?? ""}`.toLowerCase().includes(wanted));
    return { data: { customers, total: customers.length } };
  },
  render: ({ customers, total }: ListData) => ({
    summary: `Found ${count(total, "customer")}.`,
    details: table(
      ["code", "name", "e-mail"],
      customers.map(({ code, name, email }) => [shown(code), shown(name, ""), shown(email, "")]),
    ),
  }),
});
