/** `amof stocktrim customer`: who buys (STOCKTRIM-3). */

import type { Query } from "../../contract/mod.ts";
import { getting, listing, renamed } from "./declare.ts";
import { CUSTOMERS } from "./nouns.ts";
import { named, shown } from "./shown.ts";

/** `amof stocktrim customer get`. */
export const getCustomer: Query = getting(CUSTOMERS, {
  name: "stocktrim_customer_get",
  path: ["stocktrim", "customer", "get"],
  next: ["stocktrim_products", "stocktrim_purchase_orders"],
  title: "Get customer",
  summary: "Show a StockTrim customer by its exact code, with its address.",
  examples: ["stocktrim customer get SHOP-7"],
}, { named: ({ name, code }) => named(name, code) });

/** `amof stocktrim customer list`. */
export const listCustomers: Query = listing("customer", {
  name: "stocktrim_customers_list",
  path: ["stocktrim", "customer", "list"],
  next: ["stocktrim_products", "stocktrim_purchase_orders"],
  title: "List customers",
  summary: "List the customers that StockTrim knows: code, name and e-mail address.",
  examples: ["stocktrim customer list", "stocktrim customer list --search shop"],
  pages: { member: "customers", key: "code" },
}, {
  all: async ({ customers }) =>
    (await customers.list()).map((customer) =>
      renamed(customer, { code: "code", name: "name", email: "emailAddress" })
    ),
  search: ({ code, name }) => `${code}\n${name ?? ""}`,
  columns: {
    code: ({ code }) => shown(code),
    name: ({ name }) => shown(name, ""),
    "e-mail": ({ email }) => shown(email, ""),
  },
});
