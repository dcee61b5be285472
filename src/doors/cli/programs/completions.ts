/** `amof completions SHELL`: the script that makes a shell complete command lines. */

import { EXIT } from "../../../base/error.ts";
import { OTHERS, SHELLS } from "../completion/scripts.ts";
import { program } from "../../../pipeline/line/program.ts";

/** `amof completions`. */
export const completionsProgram = program({
  path: ["completions"],
  lenient: true,
  summary: "Print the script that completes command lines in a shell.",
  description:
    `The script asks amof itself what can follow: commands, flags, and names of ecosystems, repositories, tickets, runs and archives as they are then.${
      OTHERS.map((name) => ` It completes ${name}, too.`).join("")
    }`,
  positionals: ["shell"],
  examples: ["completions bash", "completions powershell"],
  input: (z) => ({ shell: z.enum(SHELLS).describe(SHELLS.join(", ")) }),
  async main({ app, flags }, { shell }) {
    const { SCRIPTS } = await import("../completion/scripts.ts");
    const script = SCRIPTS[shell];
    app.system.terminal.out(flags.json ? `${JSON.stringify({ shell, script })}\n` : script);
    return EXIT.ok;
  },
});
