/**
 * Everything that has words, loaded: what the program loads only when it is called.
 *
 * @module
 */

import { ENTRIES as LISTED_ENTRIES } from "../../src/doors/cli/entries.ts";
import { PROGRAMS as LISTED_PROGRAMS } from "../../src/doors/cli/programs/mod.ts";
import type { CommandEntry, Entry } from "../../src/pipeline/line/parse.ts";
import { COMMANDS as LISTED } from "../../src/pipeline/registry.ts";
import type { Program } from "../../src/pipeline/line/program.ts";
import type { Command } from "../../src/contract/mod.ts";

/** Every command. */
export const COMMANDS: readonly Command[] = await Promise.all(LISTED.map(({ load }) => load()));

/** Every program. */
export const PROGRAMS: readonly Program[] = await Promise.all(
  LISTED_PROGRAMS.map(({ load }) => load()),
);

/** The commands with their shortcuts, and the programs, as the command line calls them. */
export const ENTRIES: readonly Entry[] = await Promise.all(
  LISTED_ENTRIES.map(({ load }): Promise<Entry> => load()),
);

/** Those of them that are commands. */
export const COMMAND_ENTRIES: readonly CommandEntry[] = ENTRIES.filter((entry) =>
  entry.kind !== "program"
);

/** The command with this tool name or alias, or null. */
export function findCommand(name: string): Command | null {
  return COMMANDS.find((command) => command.name === name || command.aliases?.includes(name)) ??
    null;
}
