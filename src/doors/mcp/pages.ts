/**
 * The lists of the protocol in pages.
 *
 * @module
 */

import { cursorOf, positionOf } from "../../base/text/cursor.ts";
import { invalidParams } from "./features.ts";

/** How many items one page holds. */
export const PAGE_SIZE = 50;

/** A page, and the cursor of the next one if there is more. */
interface Page<T> {
  readonly items: T[];
  readonly nextCursor?: string;
}

/** The page behind a cursor; throws −32602 for one that was not made here or has become void. */
export function page<T>(
  items: readonly T[],
  key: (item: T) => string,
  cursor: string | undefined,
): Page<T> {
  const start = positionOf(cursor, items.map(key));
  if (start === null) throw invalidParams("The cursor is not valid; list again without one");
  const shown = items.slice(start, start + PAGE_SIZE);
  const last = shown[shown.length - 1];
  const more = last !== undefined && start + PAGE_SIZE < items.length;
  return { items: shown, ...(more ? { nextCursor: cursorOf(key(last)) } : {}) };
}
