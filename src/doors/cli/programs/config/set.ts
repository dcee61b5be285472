/** `amof config set`: changes one setting in the user file. */

import { program } from "../../../../pipeline/line/program.ts";
import { changeSetting, named, valueFor } from "../../settings_file.ts";

/** `amof config set`. */
export const configSet = program({
  path: ["config", "set"],
  lenient: true,
  answers: true,
  summary: "Change one setting in the user file; comments and order stay.",
  description:
    "The value is checked first, and what changes is shown. A directory may be given relative to the one you stand in. With --dry-run nothing is written.",
  positionals: ["name", "value"],
  examples: [
    "config set jobs 8",
    "config set root .",
    'config set aliases.st "status --fetch"',
    'config set editor "code --wait"',
  ],
  input: (z) => ({
    name: z.string().max(100).describe("The setting, such as color or aliases.st"),
    value: z.string().max(2000).describe("What it shall be"),
  }),
  main(ctx, { name, value }) {
    const setting = named(name);
    return changeSetting(ctx, setting, valueFor(ctx, setting, value));
  },
});
