/**
 * The lines by which git marks where two sides collided.
 *
 * @module
 */

/** What the two sides are called behind their markers. */
export interface Labels {
  readonly ours: string;
  readonly theirs: string;
}

/**
 * The line, counted from 1, with the first marker of a collision that is whole; null where there is none. Without
 * labels the sides may be called anything. Takes time in proportion to the text, whatever stands in it.
 */
export function collisionLine(text: string, labels?: Labels): number | null {
  // Nearly no text has one.
  if (!text.includes("<<<<<<< ")) return null;
  const isMarker = (line: string, marker: string, label: string | undefined) =>
    label === undefined ? line.startsWith(`${marker} `) : line === `${marker} ${label}`;
  let begin: number | null = null;
  let parted = false;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (begin === null) begin = isMarker(line, "<<<<<<<", labels?.ours) ? index + 1 : null;
    else if (line === "=======") parted = true;
    else if (parted && isMarker(line, ">>>>>>>", labels?.theirs)) return begin;
  }
  return null;
}
