/** `amof shell-init SHELL`: what makes a shell complete command lines and go to repositories (LOOK-6). */

import { EXIT } from "../../../base/error.ts";
import { SHELLS } from "../completion/scripts.ts";
import { program } from "../../../pipeline/line/program.ts";

/** `amof shell-init`. */
export const shellInitProgram = program({
  path: ["shell-init"],
  summary: "Print what gives a shell completion and acd, which goes to a repository.",
  description:
    "The first line of what it prints says how to load it where the shell starts; in zsh that is behind compinit. acd REPO, also called amof-cd, goes to the clone of a repository, acd alone to the workspace. It holds the completions, too.",
  positionals: ["shell"],
  examples: ["shell-init bash", "shell-init fish"],
  input: (z) => ({ shell: z.enum(SHELLS).describe(SHELLS.join(", ")) }),
  async main({ app, flags }, { shell }) {
    const { HELPERS } = await import("../completion/scripts.ts");
    const script = HELPERS[shell];
    app.system.terminal.out(flags.json ? `${JSON.stringify({ shell, script })}\n` : script);
    return EXIT.ok;
  },
});
