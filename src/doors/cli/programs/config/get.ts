/** `amof config get`: the value of one setting, alone on its line. */

import { program } from "../../../../pipeline/line/program.ts";
import { readSettings } from "../../../../state/settings/mod.ts";
import { settingRows } from "../../../../state/settings/changing.ts";
import { AmofError, EXIT } from "../../../../base/error.ts";
import { answerWith } from "../../answer.ts";
import { named } from "../../settings_file.ts";

/** `amof config get`. */
export const configGet = program({
  path: ["config", "get"],
  lenient: true,
  answers: true,
  summary: "Print what applies for one setting; nothing where nobody set it.",
  positionals: ["name"],
  examples: ["config get root", "config get aliases.st"],
  input: (z) => ({
    name: z.string().max(100).describe("The setting, such as color or aliases.st"),
  }),
  async main(ctx, { name }) {
    const { system } = ctx.app;
    named(name);
    const file = await readSettings(system);
    const row = settingRows(system, file).find((each) => each.name === name);
    if (row?.problem !== undefined) throw new AmofError("invalid_arguments", row.problem);
    const value = row?.value ?? null;
    if (!ctx.flags.json) {
      if (value !== null) system.terminal.out(`${value}\n`);
      return EXIT.ok;
    }
    return answerWith(ctx, {
      summary: value === null ? `${name} is not set.` : `Read ${name}.`,
      data: { name, value, source: row?.source ?? "default" },
    });
  },
});
