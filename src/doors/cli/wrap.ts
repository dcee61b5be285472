/** Breaks lines between words, and never inside of what is meant to be pasted. */

import { textWidth } from "../../base/text/table.ts";
import { PROGRAM_FACTS } from "./programs/facts.ts";
import type { Terminal } from "../../base/system/mod.ts";

/** What is left of a line for the meaning of a flag must be worth a column of its own. */
export const NARROWEST = 20;

/** The names that the program may have. */
const NAMES = ["amof", ...PROGRAM_FACTS.flatMap(({ delegates, path }) => delegates ? path : [])]
  .join("|");

/** A line that is one command, and no row that says behind it what it is for. */
const TO_PASTE = new RegExp(`^ *(?:${NAMES}) \\S(?!.*\\S {2,}\\S)`);

/** A command as it ends a hint: up to the next `;` or `,`, to the next column, or to the end. */
const COMMAND = `(?<=^ *|: )(?:${NAMES}|git|printf|rm|mv) (?:(?![;,](?: |$)| {2}).)*`;

/** The blanks before a unit that stays together, and the unit: a command, or a word. */
const UNITS = new RegExp(`( *)(${COMMAND}\\S*|\\S+)`, "g");

/** What begins a line whose second column, or text behind a sign, goes on below itself; empty for none. */
function leftOf(line: string): string {
  return /^(?: +\S.*?|[^:]+:) {2,}(?=\S)/.exec(line)?.[0] ??
    /^ *(?:[-–✓✗⚠]|fix:) (?=\S)/.exec(line)?.[0] ?? "";
}

/**
 * A line as lines of at most `width` columns, broken between words. A word that is longer stays whole, and so does a
 * command. A second column for which there is no room stands below the first.
 */
export function wrapLine(line: string, width: number): string[] {
  if (textWidth(line) <= width || TO_PASTE.test(line)) return [line];
  const left = leftOf(line);
  const beginning = /^ */.exec(line)?.[0].length ?? 0;
  const below = left === "" ? beginning : textWidth(left);
  if (width - below >= NARROWEST) return broken(line, width, below);
  const deeper = Math.max(0, Math.min(beginning + 4, width - NARROWEST));
  if (left === "") return broken(line, width, deeper);
  return [
    ...broken(left.trimEnd(), width, deeper),
    ...broken(`${" ".repeat(deeper)}${line.slice(left.length)}`, width, deeper),
  ];
}

/** A line broken between its words, each further line begun by so many blanks. */
function broken(line: string, width: number, deep: number): string[] {
  const indent = " ".repeat(deep);
  const lines: string[] = [];
  let current = "";
  let used = 0;
  for (const [, gap = "", unit = ""] of line.matchAll(UNITS)) {
    const size = textWidth(unit);
    if (current.trim() !== "" && used + gap.length + size > width) {
      lines.push(current);
      current = indent + unit;
      used = indent.length + size;
    } else {
      current += gap + unit;
      used += gap.length + size;
    }
  }
  return [...lines, current];
}

/** A text with lines of at most `width` columns. */
export function wrapText(text: string, width: number): string {
  return text.split("\n").flatMap((line) => wrapLine(line, width)).join("\n");
}

/** A page with lines as long as the terminal is wide, broken between words; as it is where nobody looks. */
export function fit(
  page: string,
  { stdoutIsTerminal, columns }: Pick<Terminal, "stdoutIsTerminal" | "columns">,
): string {
  return stdoutIsTerminal ? wrapText(page, Math.max(columns, 2 * NARROWEST)) : page;
}
