/**
 * `amof stocktrim location list`: every place where stock lies (STOCKTRIM-3).
 *
 * @module
 */

import { query } from "../../../contract/mod.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { STOCKTRIM } from "../declare.ts";
import { service } from "../service.ts";
import { shown } from "../shown.ts";

interface ListData {
  readonly locations: readonly { readonly code: string | null; readonly name: string | null }[];
  readonly total: number;
}

/** `amof stocktrim location list`. */
export const listLocations = query({
  ...STOCKTRIM,
  name: "stocktrim_locations_list",
  path: ["stocktrim", "location", "list"],
  next: ["stocktrim_order_plan", "stocktrim_products"],
  title: "List locations",
  summary: "List the locations where StockTrim keeps stock, by code and name.",
  examples: ["stocktrim location list"],
  pages: { member: "locations", key: ["code", "name"] },
  input: (z) => z.strictObject({}),
  async run(ctx) {
    const found = await (await service(ctx)).locations.list();
    const locations = found.map(({ locationCode, locationName }) => ({
      code: locationCode,
      name: locationName,
    }));
    return { data: { locations, total: locations.length } };
  },
  render: ({ locations, total }: ListData) => ({
    summary: `Found ${count(total, "location")}.`,
    details: table(
      ["code", "name"],
      locations.map(({ code, name }) => [shown(code, ""), shown(name, "")]),
    ),
  }),
});
