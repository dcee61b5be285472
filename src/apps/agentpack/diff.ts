/** Texts by lines: patches of one file, and merges of three. */

import { matchLines, splitLines } from "../../base/text/diff/unified.ts";

// Reads patches of one file and applies them, deciding as `git apply` with default settings does (PACK-19).
//
// A hunk fits where all its context and removed lines stand, bytes included. It is looked for at the line it
// names, then nearest first. A hunk that starts at line 0 or 1 must fit at the beginning, and one without
// trailing context at the end. Lines that an earlier hunk wrote are not matched again.
//
// One case differs: git lets a last line without newline match one with a newline and thereby joins two lines.
// Here such a hunk does not fit.

/** One line of a hunk, with its newline unless the file has none there. */
interface HunkLine {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly HunkLine[];
}

interface Patch {
  /** The file the headers name, without `a/` and `b/`; both sides name the same. */
  readonly path: string;
  readonly hunks: readonly Hunk[];
}

/** Why a text is no usable patch: `refused` for what this tool does not take, `corrupt` for what is broken. */
interface PatchProblem {
  readonly problem: "refused" | "corrupt";
  readonly message: string;
}

const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

function refused(message: string): PatchProblem {
  return { problem: "refused", message };
}

function corrupt(message: string): PatchProblem {
  return { problem: "corrupt", message };
}

/** The readings of a header's path: git ends it at white space, but a name may hold blanks. */
function headerPaths(line: string): string[] {
  const rest = line.slice(4).replace(/\r?\n$/, "");
  const readings = [rest.split(/\s/)[0] ?? "", rest.split("\t")[0] ?? ""];
  return readings.map((path) => path.replace(/^[ab]\//, ""));
}

/** Reads the patch of the file `relpath`. */
export function parsePatch(text: string, relpath: string): Patch | PatchProblem {
  const lines = splitLines(text);
  const headers: { readonly from: string[]; readonly to: string[] } = { from: [], to: [] };
  const hunks: Hunk[] = [];
  let at = 0;
  /** The line at which the next part may stand: `+++` below `---`, a hunk below that or another hunk. */
  let next = -1;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.startsWith("GIT binary patch") || /^Binary files .* differ/.test(line)) {
      return refused("It is a binary patch");
    }
    if (line.startsWith("--- ")) {
      headers.from.push(line);
      next = at + 1;
    } else if (line.startsWith("+++ ")) {
      headers.to.push(line);
      next = at === next ? at + 1 : -1;
    } else if (line.startsWith("@@ -")) {
      if (at !== next) return corrupt(`Hunk without a header at line ${at + 1}`);
      const read = parseHunk(lines, at);
      if ("problem" in read) return read;
      hunks.push(read.hunk);
      at = next = read.next;
      continue;
    }
    at++;
  }
  const [from, to] = [headers.from[0] ?? "", headers.to[0] ?? ""];
  if (headers.from.length !== 1 || headers.to.length !== 1) {
    return refused(
      `It has ${headers.from.length} "---" and ${headers.to.length} "+++" header lines instead of one each`,
    );
  }
  if ([from, to].some((line) => headerPaths(line)[0] === "/dev/null")) {
    return refused("It creates or deletes the file");
  }
  if (![from, to].every((line) => headerPaths(line).includes(relpath))) {
    return refused(`Its headers do not name "${relpath}"`);
  }
  if (hunks.length === 0) return corrupt("It has no hunks");
  return { path: relpath, hunks };
}

function parseHunk(
  lines: readonly string[],
  start: number,
): { readonly hunk: Hunk; readonly next: number } | PatchProblem {
  const header = HUNK_HEADER.exec(lines[start] ?? "");
  if (header === null) return corrupt(`Broken hunk header at line ${start + 1}`);
  let oldLeft = Number(header[2] ?? 1);
  let newLeft = Number(header[4] ?? 1);
  const body: HunkLine[] = [];
  let at = start + 1;
  for (; at < lines.length && (oldLeft > 0 || newLeft > 0); at++) {
    const line = lines[at] ?? "";
    const mark = line[0];
    if (!line.endsWith("\n")) return corrupt(`Line ${at + 1} is cut off`);
    if (mark === "\\") {
      withoutNewlineNote(body);
      continue;
    }
    // Some programs leave the blank out of an empty context line.
    const isContext = mark === " " || mark === "\n";
    if (!isContext && mark !== "-" && mark !== "+") {
      return corrupt(`Unexpected line ${at + 1} in a hunk`);
    }
    if (mark !== "+") oldLeft--;
    if (mark !== "-") newLeft--;
    body.push({
      mark: isContext ? " " : mark,
      text: mark === "\n" ? line : line.slice(1),
    });
  }
  if (oldLeft !== 0 || newLeft !== 0) return corrupt(`Wrong line counts at line ${start + 1}`);
  if (lines[at]?.startsWith("\\")) {
    withoutNewlineNote(body);
    at++;
  }
  if (body.every((line) => line.mark === " ")) {
    return corrupt(`The hunk at line ${start + 1} changes nothing`);
  }
  const hunk = { oldStart: Number(header[1]), newStart: Number(header[3]), lines: body };
  return { hunk, next: at };
}

/** `\ No newline at end of file` is about the line above it. */
function withoutNewlineNote(body: HunkLine[]): void {
  const last = body[body.length - 1];
  if (last) body[body.length - 1] = { ...last, text: last.text.replace(/\n$/, "") };
}

/** A line of the file being patched, and whether a hunk wrote it. */
interface ImageLine {
  readonly text: string;
  readonly patched: boolean;
}

/** Where a hunk fits, or −1. */
function findPlace(image: readonly ImageLine[], hunk: Hunk, before: readonly string[]): number {
  const trailing = [...hunk.lines].reverse().findIndex((line) => line.mark !== " ");
  const atStart = hunk.oldStart <= 1;
  const atEnd = trailing === 0;
  if (before.length > image.length) return -1;
  const fits = (at: number): boolean =>
    at >= 0 && at + before.length <= image.length &&
    !(atStart && at !== 0) && !(atEnd && at + before.length !== image.length) &&
    before.every((text, index) => {
      const line = image[at + index];
      return line !== undefined && !line.patched && line.text === text;
    });
  const wanted = atStart
    ? 0
    : atEnd
    ? image.length - before.length
    : Math.min(hunk.newStart > 0 ? hunk.newStart - 1 : 0, image.length);
  for (let distance = 0; distance <= image.length; distance++) {
    if (fits(wanted + distance)) return wanted + distance;
    if (distance > 0 && fits(wanted - distance)) return wanted - distance;
  }
  return -1;
}

/** The patched text, or which hunk does not fit. */
export function applyPatch(text: string, patch: Patch): string | PatchProblem {
  let image: readonly ImageLine[] = splitLines(text).map((line) => ({
    text: line,
    patched: false,
  }));
  for (const [index, hunk] of patch.hunks.entries()) {
    const before = hunk.lines.filter((line) => line.mark !== "+").map((line) => line.text);
    const after = hunk.lines.filter((line) => line.mark !== "-").map((line) => line.text);
    const at = findPlace(image, hunk, before);
    if (at < 0) {
      return corrupt(`Hunk ${index + 1} does not fit "${patch.path}" near line ${hunk.oldStart}`);
    }
    image = [
      ...image.slice(0, at),
      ...after.map((line) => ({ text: line, patched: true })),
      ...image.slice(at + before.length),
    ];
  }
  return image.map((line) => line.text).join("");
}

// Three-way merges of texts by lines, for overlays whose upstream moved, and the markers of a collision (PACK-55).

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
