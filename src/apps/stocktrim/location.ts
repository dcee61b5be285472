/** `amof stocktrim location`: where stock lies; one that exists is never written over (STOCKTRIM-8). */

import { type Mutation, mutation, type Query } from "../../contract/mod.ts";
import {
  alreadyThere,
  listing,
  renamed,
  requireDone,
  service,
  SERVICE_COMMAND,
  word,
} from "./declare.ts";
import { shown } from "./shown.ts";

const READER = "amof stocktrim location list";

/** `amof stocktrim location list`. */
export const listLocations: Query = listing("location", {
  name: "stocktrim_locations_list",
  path: ["stocktrim", "location", "list"],
  next: ["stocktrim_order_plan", "stocktrim_products"],
  title: "List locations",
  summary: "List the locations where StockTrim keeps stock, by code and name.",
  examples: ["stocktrim location list"],
  pages: { member: "locations", key: ["code", "name"] },
}, {
  all: async ({ locations }) =>
    (await locations.list()).map((location) =>
      renamed(location, { code: "locationCode", name: "locationName" })
    ),
  columns: { code: ({ code }) => shown(code, ""), name: ({ name }) => shown(name, "") },
});

/** `amof stocktrim location create`. */
export const createLocation: Mutation = mutation({
  ...SERVICE_COMMAND,
  name: "stocktrim_location_create",
  path: ["stocktrim", "location", "create"],
  safety: "safe-write",
  confirm: "none",
  next: ["stocktrim_products"],
  title: "Create location",
  summary: "Create a StockTrim location; one that exists is never written over.",
  positionals: ["code", "name"],
  examples: ["stocktrim location create WH-2 Warehouse"],
  input: (z) => ({
    code: word(z, "Code of the new location"),
    name: word(z, "Name of the new location"),
  }),
  async preview(ctx, { code, name }) {
    const found = await (await service(ctx, "preview")).locations.get(code);
    if (found !== null) throw alreadyThere("location", code, `See it: ${READER}`);
    return {
      facts: { code, name },
      subject: {
        name: `location ${shown(code)}`,
        typed: { what: "location code", value: code },
      },
      summary: `Would create location ${shown(code)}.`,
      effects: [`Create location ${shown(code)} (${shown(name)}) in StockTrim`],
      current: "There is no location with this code",
      alternatives: [`See those there are: ${READER}`],
    };
  },
  async execute(ctx, _input, { code, name }: { readonly code: string; readonly name: string }) {
    const { locations } = await service(ctx, "execute");
    requireDone(await locations.create({ locationCode: code, locationName: name }), READER);
    return { data: { created: true, location: { code, name } } };
  },
  render: ({ location }) => ({ summary: `Created location ${shown(location.code)}.` }),
});
