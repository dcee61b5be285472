/**
 * How interrupted work is told.
 *
 * @module
 */

import type { Leftover } from "../contract/mod.ts";

/** The line that tells a reader about interrupted work. */
export function leftoverLine(leftover: Leftover): string {
  return `⚠ ${leftover.action} was interrupted after ${leftover.steps_begun} of ${leftover.steps} steps; finish or undo it: amof doctor --repair`;
}
