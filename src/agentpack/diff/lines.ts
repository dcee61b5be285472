/**
 * Which lines two texts have in common, in order: the ground of unified diffs and merges.
 *
 * @module
 */

/** A run of lines that both sides have: `length` lines from `a` on the left and `b` on the right. */
export interface Match {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

/** Beyond this many differing lines the search stops, and what is left counts as rewritten. */
const MAX_EDITS = 3_000;

/** The lines of a text with their newlines; the last one may have none. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/**
 * The runs of common lines, ascending on both sides; all other lines are removed or added.
 *
 * Finds the shortest edit script (Myers' greedy algorithm) after the common beginning and end are taken
 * off; two texts with more than 3,000 differing lines are matched only there.
 */
export function matchLines(left: readonly string[], right: readonly string[]): Match[] {
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (
    tail < left.length - head && tail < right.length - head &&
    left[left.length - 1 - tail] === right[right.length - 1 - tail]
  ) tail++;
  const middle = shortestEdit(
    left.slice(head, left.length - tail),
    right.slice(head, right.length - tail),
  );
  return joinAdjacent([
    { a: 0, b: 0, length: head },
    ...middle.map((match) => ({ ...match, a: match.a + head, b: match.b + head })),
    { a: left.length - tail, b: right.length - tail, length: tail },
  ]);
}

function joinAdjacent(matches: readonly Match[]): Match[] {
  const joined: Match[] = [];
  for (const match of matches) {
    if (match.length === 0) continue;
    const last = joined[joined.length - 1];
    if (last && last.a + last.length === match.a && last.b + last.length === match.b) {
      joined[joined.length - 1] = { ...last, length: last.length + match.length };
    } else joined.push(match);
  }
  return joined;
}

function shortestEdit(left: readonly string[], right: readonly string[]): Match[] {
  if (left.length === 0 || right.length === 0) return [];
  const most = Math.min(left.length + right.length, MAX_EDITS);
  const offset = most + 1;
  // furthest[offset + k]: how far the left side is on diagonal k = a − b with the edits made so far.
  const furthest = new Int32Array(2 * most + 3);
  const trail: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trail.push(furthest.slice(offset - edits - 1, offset + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const below = furthest[offset + k - 1] ?? 0;
      const above = furthest[offset + k + 1] ?? 0;
      let a = k === -edits || (k !== edits && below < above) ? above : below + 1;
      while (a < left.length && a - k < right.length && left[a] === right[a - k]) a++;
      furthest[offset + k] = a;
      if (a >= left.length && a - k >= right.length) return walkBack(trail, left, right);
    }
  }
  return [];
}

/** Goes from the end to the beginning through the saved states; what was crossed diagonally is common. */
function walkBack(
  trail: readonly Int32Array[],
  left: readonly string[],
  right: readonly string[],
): Match[] {
  const matches: Match[] = [];
  let a = left.length;
  let b = right.length;
  for (let edits = trail.length - 1; edits >= 0; edits--) {
    const state = trail[edits] ?? new Int32Array();
    const at = (k: number) => state[k + edits + 1] ?? 0;
    const k = a - b;
    const down = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
    const fromK = down ? k + 1 : k - 1;
    const fromA = edits === 0 ? 0 : at(fromK);
    const fromB = edits === 0 ? 0 : fromA - fromK;
    const start = edits === 0 ? 0 : down ? fromA : fromA + 1;
    if (a > start) matches.push({ a: start, b: start - k, length: a - start });
    a = fromA;
    b = fromB;
  }
  return matches.reverse();
}
