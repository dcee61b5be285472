/** Where colours are used: decided once per process, for both command lines. */

import { setColorEnabled, stripAnsiCode } from "@std/fmt/colors";
import type { Environment, Terminal } from "../../base/system/mod.ts";
import { type Color, isColor } from "../../state/settings/mod.ts";
import { type Tone, toneOfWord } from "../../base/text/tone.ts";

let shown = false;

/** Turns colours on or off for everything that is shown from now on; they are off at first. */
export function showColours(wanted: boolean): void {
  shown = wanted;
}

/** How a terminal is told to begin and to end something. */
type Style = readonly [begin: number, end: number];

const BOLD: Style = [1, 22];
const DIM: Style = [2, 22];
const RED: Style = [31, 39];
const GREEN: Style = [32, 39];
const YELLOW: Style = [33, 39];
const CYAN: Style = [36, 39];

function styled(text: string, [begin, end]: Style): string {
  return shown && text !== "" ? `\x1b[${begin}m${text}\x1b[${end}m` : text;
}

const STYLES: Readonly<Record<Tone, Style>> = {
  good: GREEN,
  attention: YELLOW,
  bad: RED,
  quiet: DIM,
};

/** A text that is the most important one. */
export function strong(text: string): string {
  return styled(text, BOLD);
}

/** A text in the colour of its tone; as it is without one. */
export function paint(text: string, tone: Tone | null): string {
  return tone === null ? text : styled(text, STYLES[tone]);
}

/** A line whose mark at the beginning has its colour. */
export function paintMark(line: string): string {
  return line.replace(
    /^( *)([✓✗⚠])(?= |$)/u,
    (_, indent: string, mark: string) => indent + paint(mark, toneOfWord(mark)),
  );
}

/** A line of a patch by what it does: adds, removes, names a place or a file. */
export function paintPatchLine(line: string): string {
  if (/^(?:diff |index |--- |\+\+\+ )/.test(line)) return styled(line, BOLD);
  if (line.startsWith("+")) return styled(line, GREEN);
  if (line.startsWith("-")) return styled(line, RED);
  const place = /^@@ .*? @@/.exec(line)?.[0];
  return place === undefined ? line : styled(place, CYAN) + line.slice(place.length);
}

let plainErrors = false;

/**
 * Decides about colours. `auto` means a terminal that shows them, unless `NO_COLOR` is set; each of the two standard
 * streams is looked at for itself.
 */
export function chooseColors(terminal: Terminal, env: Environment, color: Color): void {
  const shown = (env.get("NO_COLOR") ?? "") === "" && env.get("TERM") !== "dumb";
  const wanted = color === "always" || (color === "auto" && shown && terminal.stdoutIsTerminal);
  showColours(wanted);
  // The library that some texts are coloured with; it never goes against NO_COLOR.
  setColorEnabled(wanted);
  plainErrors = color !== "always" && !terminal.stderrIsTerminal;
}

/**
 * What an argument vector says of colours, also one that cannot be parsed: its complaint is coloured or not. Null
 * where it says nothing.
 */
export function colorAsked(argv: readonly string[]): Color | null {
  const end = argv.indexOf("--");
  const plain = end < 0 ? argv : argv.slice(0, end);
  const values = plain.map((word, index) =>
    word === "--color"
      ? plain[index + 1] ?? ""
      : word.startsWith("--color=")
      ? word.slice("--color=".length)
      : ""
  );
  return values.findLast(isColor) ?? null;
}

/** Writes to standard error, without the colours of a text where that is no terminal. */
export function writeError(terminal: Terminal, text: string): void {
  terminal.err(plainErrors ? stripAnsiCode(text) : text);
}
