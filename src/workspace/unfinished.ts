/** How interrupted work is told. */

import type { UnfinishedWork } from "../contract/mod.ts";
import { count } from "../base/text/words.ts";

/** The line that tells a reader about interrupted work. */
export function unfinishedLine(journal: UnfinishedWork): string {
  return `⚠ ${unfinishedText(journal)}. Finish or undo it: amof doctor --repair`;
}

/** What was interrupted and how far it was, for where the way out stands beside it. */
export function unfinishedText({ action, steps_begun, steps }: UnfinishedWork): string {
  return `${action} was interrupted after ${steps_begun} of ${count(steps, "step")}`;
}
