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
