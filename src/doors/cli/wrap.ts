/**
 * Breaks lines between words, and never inside of what is meant to be pasted.
 *
 * @module
 */

import { textWidth } from "../../base/text/width.ts";

/** What is left of a line for the meaning of a flag must be worth a column of its own. */
export const NARROWEST = 20;

/** A line that is one command. */
const TO_PASTE = /^ *(?:amof|agentpack) \S/;

/** A command as it ends a hint: up to the next `;` or `,`, or to the end. */
const COMMAND = /(?<=^ *|: )(?:amof|agentpack|git) (?:(?![;,](?: |$)).)*/.source;

/** The blanks before a unit that stays together, and the unit: a command, or a word. */
const UNITS = new RegExp(`( *)(${COMMAND}\\S*|\\S+)`, "g");

/** Where the lines go on that follow a line which is too long: below its second column, or below its beginning. */
function indentOf(line: string, width: number): number {
  const beginning = /^ */.exec(line)?.[0].length ?? 0;
  const left = /^(?: +\S.*?|[^:]+:) {2,}(?=\S)/.exec(line)?.[0] ??
    /^ *[-–✓✗⚠] (?=\S)/.exec(line)?.[0];
  const below = left === undefined ? beginning : textWidth(left);
  return width - below >= NARROWEST
    ? below
    : Math.max(0, Math.min(beginning + 4, width - NARROWEST));
}

/**
 * A line as lines of at most `width` columns, broken between words. A word that is longer stays whole, and so does a
 * command.
 */
export function wrapLine(line: string, width: number): string[] {
  if (textWidth(line) <= width || TO_PASTE.test(line)) return [line];
  const indent = " ".repeat(indentOf(line, width));
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
