// Covers stripUnsafe() and cleanLine(): what a terminal would obey or a person could not see is removed.

import { assertEquals } from "@std/assert";
import { cleanLine, stripUnsafe } from "../../../../src/base/text/sanitize.ts";

const REMOVED: readonly (readonly [string, string, string])[] = [
  ["colours", "\u001b[1;31mred\u001b[0m plain", "red plain"],
  ["colours with colons and intermediate bytes", "\u001b[38:2::1:2:3mx\u001b[1 q", "x"],
  ["cursor movement and line erasure", "a\u001b[2K\u001b[1Ab\u001b[?25l", "ab"],
  [
    "links that end in BEL",
    "\u001b]8;;https://evil.invalid\u0007text\u001b]8;;\u0007",
    "text",
  ],
  [
    "links that end in a string terminator",
    "\u001b]8;;https://evil.invalid\u001b\\text\u001b]8;;\u001b\\",
    "text",
  ],
  ["window titles", "\u001b]0;title\u0007after", "after"],
  ["escapes without parameters", "a\u001bMb\u001bcd", "abd"],
  ["the choice of a character set, as in tput sgr0", "a\u001b(B\u001b[mb", "ab"],
  ["a lone escape at the end", "end\u001b", "end"],
  ["C0 controls", "a\u0000b\u0007c\u0008d\u000be\u000cf\u001fg", "abcdefg"],
  ["carriage returns, which would hide what stood before", "safe\rEVIL", "safeEVIL"],
  ["DEL and C1 controls", "a\u007fb\u0080c\u009bd\u009fe", "abcde"],
  ["bidirectional overrides", "user\u202etxt.exe\u202c", "usertxt.exe"],
  ["bidirectional isolates", "\u2066a\u2067b\u2068c\u2069", "abc"],
  ["zero-width characters", "a\u200bb\u200cc\u200dd\u2060e", "abcde"],
  ["the byte order mark", "\ufefftext", "text"],
  ["the soft hyphen", "pass\u00adword", "password"],
  ["tag characters", `a${String.fromCodePoint(0xe0041, 0xe007f)}b`, "ab"],
  ["line and paragraph separators", "a\u2028b\u2029c", "abc"],
];

for (const [what, text, clean] of REMOVED) {
  Deno.test(`stripUnsafe() removes ${what}`, () => assertEquals(stripUnsafe(text), clean));
}

const KEPT: readonly (readonly [string, string])[] = [
  ["tabs and newlines", "a\tb\nc\n"],
  ["brackets behind a tab", "\t[INFO] [31m started"],
  ["letters of every script", "Grüße, 你好, مرحبا, שלום"],
  ["emoji and combining marks", "💥 e\u0301 👍🏽"],
  ["no-break spaces", "10\u00a0MB"],
];

for (const [what, text] of KEPT) {
  Deno.test(`stripUnsafe() keeps ${what}`, () => assertEquals(stripUnsafe(text), text));
}

Deno.test("stripUnsafe() leaves no escape sequence behind when a removal joins two halves", () => {
  assertEquals(stripUnsafe("\u001b\u001b[0m[31mx").includes("\u001b"), false);
  assertEquals(stripUnsafe("\u001b\u200b[31mx").includes("\u001b"), false);
});

Deno.test("cleanLine() makes one line of several", () => {
  assertEquals(cleanLine("  first\n\tsecond \n"), "first second");
});

Deno.test("cleanLine() keeps a line that just fits", () => {
  assertEquals(cleanLine("x".repeat(10), 10), "x".repeat(10));
});

Deno.test("cleanLine() shows a cut by an ellipsis within the limit", () => {
  assertEquals(cleanLine("x".repeat(11), 10), `${"x".repeat(9)}…`);
});

Deno.test("cleanLine() measures what is left after cleaning", () => {
  assertEquals(cleanLine(`\u001b[31m${"x".repeat(10)}\u001b[0m`, 10), "x".repeat(10));
});
