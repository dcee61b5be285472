/** Everything that has words on the command line. */

import { COMMAND_ENTRIES, type ListedEntry } from "../../pipeline/line/entries.ts";
import { type ListedProgram, PROGRAMS } from "./programs/mod.ts";

/** Anything that has words on the command line, loaded when it is called. */
export type AnyEntry = ListedEntry | ListedProgram;

/** The commands of the command line with their shortcuts, and the programs. */
export const ENTRIES: readonly AnyEntry[] = [...COMMAND_ENTRIES, ...PROGRAMS];
