/**
 * How wide text is on a terminal.
 *
 * @module
 */

import fastStringWidth from "fast-string-width";

/**
 * Columns of a line: two for East Asian characters and for emoji, however many code points these are made of, none
 * for combining marks and colours.
 */
export function textWidth(text: string): number {
  // Letters that some systems write as several code points are measured in their usual form.
  return /^[ -~]*$/.test(text) ? text.length : fastStringWidth(text.normalize("NFC"));
}

/** The text with blanks behind it until it takes that many columns. */
export function padText(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}
