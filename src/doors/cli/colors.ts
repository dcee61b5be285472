/** Where colours are used: decided once per process, for both command lines. */

import { setColorEnabled, stripAnsiCode } from "@std/fmt/colors";
import type { Environment, Terminal } from "../../base/system/mod.ts";
import { type Color, isColor } from "../../state/settings/mod.ts";
import { showColours } from "./palette.ts";

let plainErrors = false;

/**
 * Decides about colours. `auto` means a terminal that shows them, unless `NO_COLOR` is set; each of the two standard
 * streams is looked at for itself.
 */
export function chooseColors(terminal: Terminal, env: Environment, color: Color): void {
  const shown = (env.get("NO_COLOR") ?? "") === "" && env.get("TERM") !== "dumb";
  const wanted = color === "always" || (color === "auto" && shown && terminal.stdoutIsTerminal);
  showColours(wanted);
  // The library of agentpack's renderings; it never goes against NO_COLOR.
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
