/**
 * Everything that has words on the command line.
 *
 * @module
 */

import { COMMANDS } from "../command/registry.ts";
import type { Command } from "../spec/mod.ts";
import type { Entry } from "./parse.ts";
import { PROGRAMS } from "./programs/mod.ts";

/** The shortcuts of a command, each as an entry of its own. */
function shortcuts(command: Command): Entry[] {
  return (command.shortcuts ?? []).map(({ args, ...words }) => ({
    ...command,
    ...words,
    positionals: (command.positionals ?? []).filter((name) => !Object.hasOwn(args, name)),
    preset: args,
  }));
}

/** The commands of the command line with their shortcuts, and the programs. */
export const ENTRIES: readonly Entry[] = [
  ...COMMANDS.filter((command) => command.only !== "mcp").flatMap((
    command,
  ): Entry[] => [...shortcuts(command), command]),
  ...PROGRAMS,
];
