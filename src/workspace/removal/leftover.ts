/** How interrupted work is told. */

import type { Leftover } from "../../contract/mod.ts";
import { count } from "../../base/text/words.ts";

/** The line that tells a reader about interrupted work. */
export function leftoverLine(leftover: Leftover): string {
  return `⚠ ${leftoverText(leftover)}. Finish or undo it: amof doctor --repair`;
}

/** What was interrupted and how far it was, for where the way out stands beside it. */
export function leftoverText({ action, steps_begun, steps }: Leftover): string {
  return `${action} was interrupted after ${steps_begun} of ${count(steps, "step")}`;
}
