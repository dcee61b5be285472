/** `amof config unset`: takes one setting out of the user file. */

import { program } from "../../../../pipeline/line/program.ts";
import { changeSetting, named } from "../../settings_file.ts";

/** `amof config unset`. */
export const configUnset = program({
  path: ["config", "unset"],
  lenient: true,
  answers: true,
  summary: "Take one setting out of the user file; what applies otherwise counts then.",
  positionals: ["name"],
  examples: ["config unset jobs", "config unset aliases.st"],
  input: (z) => ({
    name: z.string().max(100).describe("The setting, such as color or aliases.st"),
  }),
  main: (ctx, { name }) => changeSetting(ctx, named(name), undefined),
});
