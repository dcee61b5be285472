/**
 * Every command of the registry as the command line calls it.
 *
 * @module
 */

import type { Command } from "../../contract/mod.ts";
import { COMMANDS } from "../registry.ts";
import type { CommandEntry } from "./parse.ts";

/** The shortcuts of a command, each as an entry of its own. */
function shortcuts(command: Command): CommandEntry[] {
  return (command.shortcuts ?? []).map(({ args, ...words }) => ({
    ...command,
    ...words,
    positionals: (command.positionals ?? []).filter((name) => !Object.hasOwn(args, name)),
    preset: args,
  }));
}

/** The commands of the command line with their shortcuts. */
export const COMMAND_ENTRIES: readonly CommandEntry[] = COMMANDS
  .filter((command) => command.only !== "mcp")
  .flatMap((command) => [...shortcuts(command), command]);
