/** Unified diffs (PACK-52). */

import { diffArrays } from "diff";

const CONTEXT = 3;
const NO_NEWLINE = "\\ No newline at end of file\n";

/** A stretch that differs: lines `a1..a2` of the left side became `b1..b2` of the right. */
interface Change {
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

function changesBetween(matches: readonly Match[], left: number, right: number): Change[] {
  const changes: Change[] = [];
  let a = 0;
  let b = 0;
  for (const match of [...matches, { a: left, b: right, length: 0 }]) {
    if (match.a > a || match.b > b) changes.push({ a1: a, a2: match.a, b1: b, b2: match.b });
    a = match.a + match.length;
    b = match.b + match.length;
  }
  return changes;
}

/** Changes whose contexts touch share a hunk. */
function group(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups[groups.length - 1];
    const before = last?.[last.length - 1];
    if (last && before && change.a1 - before.a2 <= 2 * CONTEXT) last.push(change);
    else groups.push([change]);
  }
  return groups;
}

/** `start,count`; a count of one is left out, an empty side names the line before it. */
function range(start: number, count: number): string {
  return count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`;
}

function marked(mark: string, lines: readonly string[]): string {
  return lines.map((line) =>
    line.endsWith("\n") ? `${mark}${line}` : `${mark}${line}\n${NO_NEWLINE}`
  ).join("");
}

function hunk(group: readonly Change[], left: readonly string[], right: readonly string[]): string {
  const first = group[0] ?? { a1: 0, a2: 0, b1: 0, b2: 0 };
  const last = group[group.length - 1] ?? first;
  const lead = Math.min(CONTEXT, first.a1);
  const trail = Math.min(CONTEXT, left.length - last.a2);
  const body: string[] = [];
  let a = first.a1 - lead;
  for (const change of group) {
    body.push(
      marked(" ", left.slice(a, change.a1)),
      marked("-", left.slice(change.a1, change.a2)),
      marked("+", right.slice(change.b1, change.b2)),
    );
    a = change.a2;
  }
  body.push(marked(" ", left.slice(a, a + trail)));
  const from = range(first.a1 - lead, last.a2 + trail - first.a1 + lead);
  const to = range(first.b1 - lead, last.b2 + trail - first.b1 + lead);
  return `@@ -${from} +${to} @@\n${body.join("")}`;
}

/**
 * The difference of two texts with three lines of context below the headers `--- from` and `+++ to`; empty
 * when they are the same.
 */
export function unifiedDiff(before: string, after: string, from: string, to: string): string {
  const left = splitLines(before);
  const right = splitLines(after);
  const changes = changesBetween(matchLines(left, right), left.length, right.length);
  if (changes.length === 0) return "";
  const hunks = group(changes).map((changes) => hunk(changes, left, right));
  return `--- ${from}\n+++ ${to}\n${hunks.join("")}`;
}

// Which lines two texts have in common, in order: the ground of unified diffs and merges.

/** A run of lines that both sides have: `length` lines from `a` on the left and `b` on the right. */
interface Match {
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
