/** `amof stocktrim customer`: who buys (STOCKTRIM-3). */

import type { Query } from "../../contract/mod.ts";
import { getting, listing, type Noun, renamed } from "./declare.ts";
import { named, shown } from "./shown.ts";
import type { Customer } from "./client/records.ts";

/** A customer as answers show it, by the names of the service. */
const CUSTOMER = {
  code: "code",
  name: "name",
  email: "emailAddress",
  phone: "phone",
  street_address: "streetAddress",
  address_line_1: "addressLine1",
  address_line_2: "addressLine2",
  city: "city",
  state: "state",
  country: "country",
  post_code: "postCode",
} as const;

type CustomerView = ReturnType<typeof customerView>;

const customerView = (customer: Customer) => renamed(customer, CUSTOMER);

function addressOf(customer: CustomerView): string {
  const { street_address, address_line_1, address_line_2, post_code, city, state, country } =
    customer;
  return [street_address, address_line_1, address_line_2, post_code, city, state, country]
    .filter((part) => (part ?? "") !== "").join(", ");
}

/** Customers, by their code. */
const CUSTOMERS: Noun<Customer, CustomerView> = {
  what: "customer",
  argument: ["code", "Exact code of the customer"],
  lists: "list",
  get: (stocktrim, code) => stocktrim.customers.get(code),
  view: customerView,
  lines: (customer) => [
    `Name: ${shown(customer.name)}`,
    `Code: ${shown(customer.code)}`,
    `E-mail: ${shown(customer.email, "none")}`,
    `Phone: ${shown(customer.phone, "none")}`,
    `Address: ${shown(addressOf(customer), "none")}`,
  ],
};

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
