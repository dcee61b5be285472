/**
 * Everything that has words on the command line.
 *
 * @module
 */

import { COMMAND_ENTRIES } from "../command/line/entries.ts";
import type { Entry } from "../command/line/parse.ts";
import { PROGRAMS } from "./programs/mod.ts";

/** The commands of the command line with their shortcuts, and the programs. */
export const ENTRIES: readonly Entry[] = [...COMMAND_ENTRIES, ...PROGRAMS];
