/**
 * Fits help pages to the width of a terminal.
 *
 * @module
 */

import type { Terminal } from "../system/mod.ts";

/** What is left of a line for the meaning of a flag must be worth a column of its own. */
const NARROWEST = 20;

/** Where the lines go on that follow a line which is too long: below its second column, or below its beginning. */
function indentOf(line: string, width: number): number {
  const beginning = /^ */.exec(line)?.[0].length ?? 0;
  const left = /^ +\S.*? {2,}(?=\S)/.exec(line)?.[0].length ?? beginning;
  return width - left >= NARROWEST ? left : Math.min(beginning + 4, width - NARROWEST);
}

/** A line to paste, which a break would spoil. */
const TO_PASTE = /^ *(?:amof|agentpack) \S/;

function fitted(line: string, width: number): string {
  if (line.length <= width || TO_PASTE.test(line)) return line;
  const indent = " ".repeat(Math.max(0, indentOf(line, width)));
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const start = lines.length === 0 ? /^ *\S+/.exec(rest)?.[0].length ?? 0 : indent.length;
    const space = rest.lastIndexOf(" ", width);
    // A word that is longer than a line stays whole.
    const cut = space > start ? space : rest.indexOf(" ", Math.max(start, width));
    if (cut < 0) break;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = indent + rest.slice(cut).trimStart();
  }
  return [...lines, rest].join("\n");
}

/** A page with lines as long as the terminal is wide, broken between words; as it is where nobody looks. */
export function fit(
  page: string,
  { stdoutIsTerminal, columns }: Pick<Terminal, "stdoutIsTerminal" | "columns">,
): string {
  if (!stdoutIsTerminal) return page;
  const width = Math.max(columns, 2 * NARROWEST);
  return page.split("\n").map((line) => fitted(line, width)).join("\n");
}
