/** How wide text is on a terminal. */

import fastStringWidth from "fast-string-width";

/**
 * Characters of one column that the program itself writes, ASCII and a few signs: most lines are made of these alone, and
 * the library needs a millisecond to prepare its tables for the first line that is not.
 */
const NARROW = /^[ -~±·–—…←-↓─│✓✗]*$/;

/**
 * Columns of a line: two for East Asian characters and for emoji, however many code points these are made of, none
 * for combining marks and colours.
 */
export function textWidth(text: string): number {
  // Letters that some systems write as several code points are measured in their usual form.
  return NARROW.test(text) ? text.length : fastStringWidth(text.normalize("NFC"));
}

/** The text with blanks behind it until it takes that many columns. */
export function padText(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}
