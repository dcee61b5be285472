/**
 * The wings of the program: the one place that names them.
 *
 * @module
 */

import { STOCKTRIM } from "../apps/stocktrim/wing.ts";
import { EXEC } from "../commands/exec/wing.ts";
import { SERVER } from "../commands/server/wing.ts";
import { UNDO } from "../commands/undo/wing.ts";
import type { Wing } from "../runs/mod.ts";

/** Every wing. Any of them can be taken off. */
export const WINGS: readonly Wing[] = [EXEC, UNDO, SERVER, STOCKTRIM];
