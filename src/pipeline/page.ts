/**
 * Long lists in pieces: a query that names its list is answered with as much of it as a host passes on,
 * and with a cursor for the rest (MCP-7).
 */

import type { Fields } from "../base/object.ts";
import { AmofError } from "../base/error.ts";
import type { Pages } from "../contract/mod.ts";

/** How many characters of JSON the list of one answer may have where answers are limited. */
export const PAGE_CHARACTERS = 20_000;

/** What tells an item apart from all others of its list. */
function keyOf(item: Fields, { key }: Pages): string {
  return [key].flat().map((name) => String(item[name])).join("\n");
}

/** The data with the part of its list behind the cursor; `next_cursor` when there is more. */
export function pageOf<D extends Fields>(data: D, pages: Pages, cursor: string | undefined): D {
  const items = data[pages.member] as readonly Fields[];
  const start = positionOf(cursor, items.map((item) => keyOf(item, pages)));
  if (start === null) {
    throw new AmofError(
      "invalid_arguments",
      "Cannot go on from this cursor: nothing stands there",
      {
        hint: "Repeat the call without cursor",
        details: { issues: [{ path: "cursor", problem: "is not known" }] },
      },
    );
  }
  let size = 0;
  let end = start;
  for (const item of items.slice(start)) {
    size += JSON.stringify(item).length;
    if (size > PAGE_CHARACTERS && end > start) break;
    end++;
  }
  if (start === 0 && end === items.length) return data;
  const last = items[end - 1];
  return {
    ...data,
    [pages.member]: items.slice(start, end),
    ...(end < items.length && last !== undefined
      ? { next_cursor: cursorOf(keyOf(last, pages)) }
      : {}),
  };
}

/** The cursor that stands behind the item with this key. */
export function cursorOf(key: string): string {
  return btoa(encodeURIComponent(key)).replace(/=+$/, "");
}

/** The index where the items behind a cursor begin; null for one that belongs to none of the keys. */
export function positionOf(cursor: string | undefined, keys: readonly string[]): number | null {
  if (cursor === undefined) return 0;
  const index = keys.findIndex((key) => cursorOf(key) === cursor);
  return index < 0 ? null : index + 1;
}
