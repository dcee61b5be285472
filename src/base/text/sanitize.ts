/** Cleans text that others wrote (branch names, commit subjects, program output) before it is shown. */

import { mapMembers } from "../object.ts";

// Spelt by number, so that the pattern itself holds no control character.
const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);
const ANSI = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)|[ -/]*[0-~])`,
  "g",
);
const CONTROL = /[^\P{Cc}\t\n]/gu;
// Format characters (bidirectional overrides, zero-width and tag characters, the byte order mark) and the
// two Unicode line ends can hide or reorder what a person reads.
const INVISIBLE = /[\p{Cf}\u2028\u2029]/gu;

/** A text in which there is nothing to look for, as most have it. */
const PLAIN = /^[\t\n -~]*$/;

// What is no character: a byte of a file's name that is no UTF-8 stands as one of these (`git/odd_names.ts`).
const LONE = /\p{Cs}/gu;

/** A byte that is no character, as a shell would write it. */
function escaped(lone: string): string {
  const byte = lone.charCodeAt(0) - 0xdc00;
  return byte >= 0x80 && byte <= 0xff ? `\\x${byte.toString(16)}` : "\uFFFD";
}

/**
 * Removes ANSI sequences, control characters (not tab and newline) and invisible characters. Bytes of
 * names that are no UTF-8 are written out, as `\\xe9`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { stripUnsafe } from "./sanitize.ts";
 *
 * assertEquals(stripUnsafe("\u001b[31mred\u001b[0m and\u200b plain"), "red and plain");
 * ```
 */
export function stripUnsafe(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(ANSI, "").replace(CONTROL, "").replace(INVISIBLE, "").replace(LONE, escaped);
}

/**
 * One clean line of at most `max` characters; a cut is shown by an ellipsis.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { cleanLine } from "./sanitize.ts";
 *
 * assertEquals(cleanLine("  two\nlines "), "two lines");
 * assertEquals(cleanLine("a subject that is too long", 12), "a subject t…");
 * ```
 */
export function cleanLine(text: string, max = 200): string {
  const line = stripUnsafe(text).replace(/\s+/g, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}

/** A JSON value in which every string and every name went through {@linkcode stripUnsafe}; itself where all were clean. */
export function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return stripUnsafe(value);
  if (value === null || typeof value !== "object") return value;
  const cleaned = mapMembers(value, cleanValue) as object;
  if (Array.isArray(value) || Object.keys(value).every((name) => stripUnsafe(name) === name)) {
    return cleaned;
  }
  return Object.fromEntries(
    Object.entries(cleaned).map(([name, member]) => [stripUnsafe(name), member]),
  );
}

/** A value of somebody else in a sentence: a text in quotes, all others as JSON. */
export function shownValue(value: unknown): string {
  return cleanLine(typeof value === "string" ? `"${value}"` : JSON.stringify(value) ?? "", 60);
}

// Characters that nobody sees, made visible: a reviewer must see what is written, not what it looks like.

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
 * import { markHidden } from "./sanitize.ts";
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
