/** Why a repository has no answer, and what interrupted work is, in words. */

import type { AmofError } from "../base/error.ts";
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

/** What is said of a repository that cannot be looked at, for a line that names it already. */
export function unreadText(error: AmofError | null): string {
  return error === null ? "cannot be read" : `cannot be read: ${whyOf(error)}`;
}

/** Why something failed, for a line that names the repository already. */
export function whyOf(error: AmofError): string {
  const { reason } = error.details;
  return typeof reason === "string" ? reason : error.message;
}

/** Why a repository has no answer, as a row of an answer tells it. */
export interface RowError {
  readonly code: string;
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
}

/** An error as a row of an answer tells it. */
export function rowError({ code, message, hint }: AmofError): RowError {
  return { code, message, hint };
}
