/**
 * Opaque cursors of lists that are read in pieces.
 *
 * A cursor names the last item that was shown, so that items which come and go in between neither repeat
 * nor hide others.
 */

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
