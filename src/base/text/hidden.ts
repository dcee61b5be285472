/** Characters that nobody sees, made visible: a reviewer must see what is written, not what it looks like. */

// Control and format characters (bidirectional marks, zero-width and tag characters), whatever fonts leave out, and
// the two Unicode line ends. A joiner or selector inside of an emoji is part of it; a line may end with CR LF.
const HIDDEN =
  /[[\p{Cc}\p{Cf}\p{DI}\u2028\u2029]--[\t\n\r\u200D\uFE0E\uFE0F]]|\r(?!\n|$)|(?<!\p{Emoji})[\uFE0E\uFE0F]|(?<!\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)\u200D|\u200D(?!\p{Extended_Pictographic})/gv;

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * A text in which every character that nobody sees stands as `<U+202E>`. Tabs and line ends stay; of CR LF only the
 * second is kept.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { markHidden } from "./hidden.ts";
 *
 * assertEquals(markHidden("a\u202Eb\u200B\u001b[2Kc"), "a<U+202E>b<U+200B><U+001B>[2Kc");
 * assertEquals(markHidden("👩\u200D💻 ❤\uFE0F\r\n"), "👩\u200D💻 ❤\uFE0F\n");
 * ```
 */
export function markHidden(text: string): string {
  return text.replace(HIDDEN, (character) => `<${codeOf(character)}>`).replace(/\r(?=\n|$)/g, "");
}

/** A name or path in one line: its tabs and line ends, too, stand as `<U+000A>`. */
export function markName(name: string): string {
  return name.replace(/[\t\n\r]/g, (blank) => `<${codeOf(blank)}>`).replace(
    HIDDEN,
    (character) => `<${codeOf(character)}>`,
  );
}

/** Which hidden characters a text has. */
export interface HiddenCharacters {
  readonly count: number;
  /** Each kind once: `U+202E`. */
  readonly codes: readonly string[];
  /** The first line with one, from 1. */
  readonly line: number;
}

/** The hidden characters of a text, or null where there are none. */
export function hiddenCharacters(text: string): HiddenCharacters | null {
  const found = [...text.matchAll(HIDDEN)];
  const [first] = found;
  if (first === undefined) return null;
  return {
    count: found.length,
    codes: [...new Set(found.map(([character]) => codeOf(character)))],
    line: text.slice(0, first.index).split("\n").length,
  };
}
