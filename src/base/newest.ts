/** Merges lists by time without changing the order within any of them. */

/**
 * The first `most` of lists that each have the newest first; where two are equally new, the earlier list goes first.
 *
 * Of a list that is not in order, such as a log with clocks that went wrong, the order stays.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { mergeNewest } from "./newest.ts";
 *
 * const times = [[9, 4], [7, 5], []];
 * assertEquals(mergeNewest(times, (time) => time, 3), [9, 7, 5]);
 * ```
 */
export function mergeNewest<T>(
  lists: readonly (readonly T[])[],
  at: (item: T) => number,
  most = Infinity,
): T[] {
  const heads = lists.map((items) => ({ items, next: 0 }));
  const merged: T[] = [];
  while (merged.length < most) {
    let best: { items: readonly T[]; next: number } | null = null;
    let newest: T | undefined;
    for (const head of heads) {
      const item = head.items[head.next];
      if (item === undefined || (newest !== undefined && at(item) <= at(newest))) continue;
      [best, newest] = [head, item];
    }
    if (best === null || newest === undefined) break;
    best.next++;
    merged.push(newest);
  }
  return merged;
}
