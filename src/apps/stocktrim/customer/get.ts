/**
 * `amof stocktrim customer get`: one customer (STOCKTRIM-3).
 *
 * @module
 */

import { query } from "../../../contract/mod.ts";
import type { Customer } from "../client/records.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { notFound } from "../ended.ts";
import { service } from "../service.ts";
import { named, shown } from "../shown.ts";

interface CustomerView {
  readonly code: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly street_address: string | null;
  readonly address_line_1: string | null;
  readonly address_line_2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly post_code: string | null;
}

interface GetData {
  readonly customer: CustomerView;
}

function customerView(customer: Customer): CustomerView {
  return {
    code: customer.code,
    name: customer.name,
    email: customer.emailAddress,
    phone: customer.phone,
    street_address: customer.streetAddress,
    address_line_1: customer.addressLine1,
    address_line_2: customer.addressLine2,
    city: customer.city,
    state: customer.state,
    country: customer.country,
    post_code: customer.postCode,
  };
}

/** `amof stocktrim customer get`. */
export const getCustomer = query({
  ...STOCKTRIM,
  name: "stocktrim_customer_get",
  path: ["stocktrim", "customer", "get"],
  next: ["stocktrim_products", "stocktrim_purchase_orders"],
  title: "Get customer",
  summary: "Show a StockTrim customer by its exact code, with its address.",
  positionals: ["code"],
  examples: ["stocktrim customer get SHOP-7"],
  input: (z) => z.strictObject({ code: word(z, "Exact code of the customer") }),
  async run(ctx, input) {
    const customer = await (await service(ctx)).customers.get(input.code);
    if (customer === null) {
      throw notFound("customer", input.code, "amof stocktrim customer list");
    }
    return { data: { customer: customerView(customer) } };
  },
  render: ({ customer }: GetData) => ({
    summary: `Found customer ${named(customer.name, customer.code)}.`,
    details: [
      `Name: ${shown(customer.name)}`,
      `Code: ${shown(customer.code)}`,
      `E-mail: ${shown(customer.email, "none")}`,
      `Phone: ${shown(customer.phone, "none")}`,
      `Address: ${
        shown(
          [
            customer.street_address,
            customer.address_line_1,
            customer.address_line_2,
            customer.post_code,
            customer.city,
            customer.state,
            customer.country,
          ].filter((part) => (part ?? "") !== "").join(", "),
          "none",
        )
      }`,
    ],
  }),
});
