/** `amof config path`: where the user file is. */

import { program } from "../../../../pipeline/line/program.ts";
import { EXIT } from "../../../../base/error.ts";
import { settingsPath } from "../../../../state/settings/mod.ts";
import { answerWith } from "../../answer.ts";

/** `amof config path`. */
export const configPath = program({
  path: ["config", "path"],
  lenient: true,
  answers: true,
  summary: "Print where the user file is, or would be.",
  examples: ["config path"],
  input: () => ({}),
  async main(ctx) {
    const { system } = ctx.app;
    const path = settingsPath(system);
    if (!ctx.flags.json) {
      system.terminal.out(`${path}\n`);
      return EXIT.ok;
    }
    const exists = await system.files.stat(path) !== null;
    return answerWith(ctx, { summary: "Told where the user file is.", data: { path, exists } });
  },
});
