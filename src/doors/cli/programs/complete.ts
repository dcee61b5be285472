/** `amof complete`: what can stand where somebody types, for the scripts of `amof completions`. */

import { EXIT } from "../../../base/error.ts";
import { program } from "../../../pipeline/line/program.ts";

/** `amof complete`. */
export const completeProgram = program({
  path: ["complete"],
  hidden: true,
  lenient: true,
  summary: "Answer the candidates for a command line; called by completion scripts.",
  positionals: ["words"],
  examples: ["complete -- push --re", "complete --next -- status --mode"],
  input: (z) => ({
    words: z.array(z.string()).default([]).describe(
      "What stands behind the program's name; the last one is being typed",
    ),
    next: z.boolean().default(false).describe(
      "Behind them begins another one, still empty, which not every shell can pass on",
    ),
  }),
  async main({ app, complete }, { words, next }) {
    app.system.terminal.out(await complete(next ? [...words, ""] : words));
    return EXIT.ok;
  },
});
