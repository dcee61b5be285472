/**
 * `amof stocktrim location create`: a new place for stock (STOCKTRIM-8).
 *
 * @module
 */

import { mutation } from "../../../contract/mod.ts";
import { STOCKTRIM, word } from "../declare.ts";
import { alreadyThere, requireDone } from "../ended.ts";
import { forDeed, forPreview } from "../service.ts";
import { shown } from "../shown.ts";

const READER = "amof stocktrim location list";

interface CreateFacts {
  readonly code: string;
  readonly name: string;
}

interface CreateData {
  readonly created: boolean;
  readonly location: CreateFacts;
}

/** `amof stocktrim location create`. */
export const createLocation = mutation({
  ...STOCKTRIM,
  name: "stocktrim_location_create",
  path: ["stocktrim", "location", "create"],
  safety: "safe-write",
  confirm: "none",
  next: ["stocktrim_products"],
  title: "Create location",
  summary: "Create a StockTrim location; one that exists is never written over.",
  positionals: ["code", "name"],
  examples: ["stocktrim location create WH-2 Warehouse"],
  input: (z) =>
    z.strictObject({
      code: word(z, "Code of the new location"),
      name: word(z, "Name of the new location"),
    }),
  async preview(ctx, { code, name }) {
    const found = await (await forPreview(ctx)).locations.get(code);
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
  async execute(ctx, _input, { code, name }) {
    const { locations } = await forDeed(ctx);
    requireDone(await locations.create({ locationCode: code, locationName: name }), READER);
    return { data: { created: true, location: { code, name } } };
  },
  render: ({ location }: CreateData) => ({
    summary: `Created location ${shown(location.code)}.`,
  }),
});
