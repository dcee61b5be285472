/** Edits that keep the way in which the lines of a text end. */

/**
 * An edited text whose lines end like those of the text before: all with CR LF where all of them did, else as they
 * are.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { withEndsOf } from "./line_ends.ts";
 *
 * assertEquals(withEndsOf("a\r\n", "a\r\nb\n"), "a\r\nb\r\n");
 * assertEquals(withEndsOf("a\n", "a\nb\n"), "a\nb\n");
 * ```
 */
export function withEndsOf(before: string, after: string): string {
  const always = before.includes("\r\n") && !/(?<!\r)\n/.test(before);
  return always ? after.replace(/(?<!\r)\n/g, "\r\n") : after;
}
