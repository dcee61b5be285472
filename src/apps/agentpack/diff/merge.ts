/** Three-way merges of texts by lines, for overlays whose upstream moved, and the markers of a collision (PACK-55). */

import { matchLines, splitLines } from "../../../base/text/diff/unified.ts";

interface Merged {
  readonly text: string;
  /** How many places both sides changed differently; each is marked in the text. */
  readonly conflicts: number;
}

/** For each line of the base its counterpart on a side, or −1. */
function counterparts(base: readonly string[], side: readonly string[]): Int32Array {
  const found = new Int32Array(base.length).fill(-1);
  for (const match of matchLines(base, side)) {
    for (let index = 0; index < match.length; index++) found[match.a + index] = match.b + index;
  }
  return found;
}

function ended(lines: readonly string[]): string {
  const text = lines.join("");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

/** Marks up one place, outside of the lines that both sides begin and end with. */
function conflict(
  ours: readonly string[],
  theirs: readonly string[],
  labels: Labels,
): string {
  const shorter = Math.min(ours.length, theirs.length);
  let head = 0;
  while (head < shorter && ours[head] === theirs[head]) head++;
  let tail = 0;
  while (tail < shorter - head && ours.at(-1 - tail) === theirs.at(-1 - tail)) tail++;
  const inner = (lines: readonly string[]) => ended(lines.slice(head, lines.length - tail));
  return [
    ours.slice(0, head).join(""),
    `<<<<<<< ${labels.ours}\n`,
    inner(ours),
    "=======\n",
    inner(theirs),
    `>>>>>>> ${labels.theirs}\n`,
    ours.slice(ours.length - tail).join(""),
  ].join("");
}

/** How the lines of a text end; null where they end in both ways. */
function endsOf(text: string): "\n" | "\r\n" | null {
  if (!text.includes("\r\n")) return "\n";
  return /(?<!\r)\n/.test(text) ? null : "\r\n";
}

/**
 * Merges what two sides made of the same base; a place that only one side changed takes that change. How lines end is
 * merged like a place of its own, so that an editor which saved every line with CR LF changed nothing else.
 */
export function mergeTexts(
  base: string,
  ours: string,
  theirs: string,
  labels: Labels,
): Merged {
  const [then, left, right] = [base, ours, theirs].map(endsOf);
  if (then === null || left === null || right === null) {
    return mergeLines(base, ours, theirs, labels);
  }
  const plain = (text: string) => text.replaceAll("\r\n", "\n");
  const merged = mergeLines(plain(base), plain(ours), plain(theirs), labels);
  const end = left === then ? right : left;
  return end === "\n" ? merged : { ...merged, text: merged.text.replaceAll("\n", "\r\n") };
}

function mergeLines(
  base: string,
  ours: string,
  theirs: string,
  labels: Labels,
): Merged {
  const baseLines = splitLines(base);
  const ourLines = splitLines(ours);
  const theirLines = splitLines(theirs);
  const inOurs = counterparts(baseLines, ourLines);
  const inTheirs = counterparts(baseLines, theirLines);
  const parts: string[] = [];
  let conflicts = 0;
  let b = 0;
  let o = 0;
  let t = 0;
  /** Settles everything up to these lines, which all three have or where all three end. */
  const settle = (toBase: number, toOurs: number, toTheirs: number) => {
    const before = baseLines.slice(b, toBase);
    const left = ourLines.slice(o, toOurs);
    const right = theirLines.slice(t, toTheirs);
    if (same(left, right) || same(right, before)) parts.push(left.join(""));
    else if (same(left, before)) parts.push(right.join(""));
    else {
      conflicts++;
      parts.push(conflict(left, right, labels));
    }
  };
  for (let line = 0; line < baseLines.length; line++) {
    const ourLine = inOurs[line] ?? -1;
    const theirLine = inTheirs[line] ?? -1;
    if (ourLine < o || theirLine < t) continue;
    settle(line, ourLine, theirLine);
    parts.push(baseLines[line] ?? "");
    b = line + 1;
    o = ourLine + 1;
    t = theirLine + 1;
  }
  settle(baseLines.length, ourLines.length, theirLines.length);
  return { text: parts.join(""), conflicts };
}

/** What the two sides are called behind their markers. */
interface Labels {
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
