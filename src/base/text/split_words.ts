/** Splits a command line that a person wrote into words, without a shell and without anything a shell would expand. */

/**
 * The words of a command line; quotes and backslashes hold words together as in a POSIX shell. Null where a quote is
 * never closed.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { splitWords } from "./split_words.ts";
 *
 * assertEquals(splitWords(`status --only dirty`), ["status", "--only", "dirty"]);
 * assertEquals(splitWords(`push -m "two words" it\\'s`), ["push", "-m", "two words", "it's"]);
 * assertEquals(splitWords(`push -m "two`), null);
 * ```
 */
export function splitWords(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: '"' | "'" | null = null;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (quote !== null) {
      if (character === quote) quote = null;
      else if (quote === '"' && character === "\\" && /["\\$`]/.test(next)) {
        word = (word ?? "") + next;
        at++;
      } else word = (word ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (character === "\\" && next !== "") {
      word = (word ?? "") + next;
      at++;
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + character;
  }
  if (quote !== null) return null;
  return word === null ? words : [...words, word];
}
