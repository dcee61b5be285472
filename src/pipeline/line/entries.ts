/** Every command of the registry as the command line calls it. */

import type { Known } from "../../contract/mod.ts";
import type { Fields } from "../../base/object.ts";
import { COMMANDS, type Listed } from "../registry.ts";
import type { CommandEntry } from "./parse.ts";

/** A command, or other words that mean it with some members given, which is loaded when it is called. */
export type ListedEntry = Known & {
  readonly preset?: Fields;
  readonly load: () => Promise<CommandEntry>;
};

/** The shortcuts of a command, each as an entry of its own. */
function shortcuts(command: Listed): ListedEntry[] {
  return (command.shortcuts ?? []).map(({ args, ...words }) => {
    const said = {
      ...words,
      positionals: (command.positionals ?? []).filter((name) => !Object.hasOwn(args, name)),
      preset: args,
    };
    return { ...command, ...said, load: async () => ({ ...await command.load(), ...said }) };
  });
}

/** The commands of the command line with their shortcuts. */
export const COMMAND_ENTRIES: readonly ListedEntry[] = COMMANDS
  .flatMap((command) => [...shortcuts(command), command]);
