/** Which lines two texts have in common, in order: the ground of unified diffs and merges. */

import { diffArrays } from "diff";

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
 * Finds a shortest edit script after the common beginning and end are taken off; two texts with more than
 * 3,000 differing lines are matched only there.
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

/** The runs of lines in a shortest edit script; none when it would be longer than 3,000 lines. */
function shortestEdit(left: string[], right: string[]): Match[] {
  const matches: Match[] = [];
  let a = 0;
  let b = 0;
  for (const part of diffArrays(left, right, { maxEditLength: MAX_EDITS }) ?? []) {
    if (!part.added && !part.removed) matches.push({ a, b, length: part.count });
    if (!part.added) a += part.count;
    if (!part.removed) b += part.count;
  }
  return matches;
}
