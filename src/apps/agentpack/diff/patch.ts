/**
 * Reads patches of one file and applies them, deciding as `git apply` with default settings does
 * (PACK-19).
 *
 * A hunk fits where all its context and removed lines stand, bytes included. It is looked for at the line
 * it names, then nearest first, but a hunk that starts at line 0 or 1 must fit at the beginning and one
 * without trailing context at the end. Lines that an earlier hunk wrote are not matched again. One case
 * differs: git lets a last line without newline match one with a newline and thereby joins two lines; here
 * such a hunk does not fit.
 */

import { splitLines } from "../../../base/text/diff/unified.ts";

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
      cutNewline(body);
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
    cutNewline(body);
    at++;
  }
  if (body.every((line) => line.mark === " ")) {
    return corrupt(`The hunk at line ${start + 1} changes nothing`);
  }
  const hunk = { oldStart: Number(header[1]), newStart: Number(header[3]), lines: body };
  return { hunk, next: at };
}

/** `\ No newline at end of file` is about the line above it. */
function cutNewline(body: HunkLine[]): void {
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
