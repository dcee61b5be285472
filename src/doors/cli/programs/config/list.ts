/** `amof config list`: every setting, what applies, and who says so. */

import { program } from "../../../../pipeline/line/program.ts";
import { brokenSettings, problemLine, readSettings } from "../../../../state/settings/mod.ts";
import { settingRows } from "../../../../state/settings/changing.ts";
import { table } from "../../../../base/text/table.ts";
import { answerWith } from "../../answer.ts";
import { notes } from "../../settings_file.ts";

/** `amof config list`. */
export const configList = program({
  path: ["config", "list"],
  lenient: true,
  answers: true,
  summary: "List the settings: what applies, and who says so.",
  description:
    "A flag counts before the variable of the environment, that before the user file, and that before what applies otherwise. With --verbose also what each setting decides.",
  examples: ["config list", "config list --verbose", "config list --json"],
  input: () => ({}),
  async main(ctx) {
    const file = await readSettings(ctx.app.system);
    const rows = settingRows(ctx.app.system, file);
    const { verbose } = ctx.flags;
    const shown = rows.map((row) => [
      row.name,
      row.problem ?? String(row.value ?? `(${row.otherwise})`),
      row.source === "environment" ? row.variable ?? "" : row.source,
      ...(verbose ? [row.help] : []),
    ]);
    const set = rows.filter(({ source }) => source !== "default").length;
    return answerWith(ctx, {
      summary: file.text === null
        ? "Found no user file; everything is as it comes but for the environment."
        : `Listed the settings; ${set} ${set === 1 ? "is" : "are"} set.`,
      details: [
        table([
          { name: "setting", whole: true, worth: 9 },
          { name: "value", names: true, worth: 8 },
          "from",
          ...(verbose ? [{ name: "what it decides", prose: true }] : []),
        ], shown),
        "",
        `User file: ${file.path}`,
        ...file.errors.map((error) => `Wrong: ${problemLine(error)}`),
        ...notes(ctx, file),
      ],
      data: {
        file: file.path,
        exists: file.text !== null,
        settings: rows.map((row) => ({ ...row })),
        errors: file.errors.map((each) => ({ ...each })),
        warnings: file.warnings.map((each) => ({ ...each })),
      },
      failure: file.errors.length > 0 ? brokenSettings(file) : undefined,
    });
  },
});
