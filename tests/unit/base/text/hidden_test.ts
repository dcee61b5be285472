import { assertEquals } from "@std/assert";
import fc, { anyCharacter } from "fast-check";
import { hiddenCharacters, markHidden } from "../../../../src/base/text/sanitize.ts";

Deno.test("hiddenCharacters() finds what hides or reorders text, and leaves emoji and line ends alone", () => {
  const plain = [
    "Tabs\tand lines\r\nand naïve “quotes”, 日本語, עברית, 👩‍💻, 👍🏽, ❤️, 1️⃣, 🏳️‍🌈",
    "",
    "ends with a return\r",
  ];
  for (const text of plain) assertEquals(hiddenCharacters(text), null, text);
  const hidden: readonly (readonly [string, string])[] = [
    ["\u202E", "U+202E"],
    ["\u2066", "U+2066"],
    ["\u200B", "U+200B"],
    ["a\u200Db", "U+200D"],
    ["\uFEFF", "U+FEFF"],
    ["\u00AD", "U+00AD"],
    ["\u3164", "U+3164"],
    ["x\uFE0F", "U+FE0F"],
    ["\u{E0041}", "U+E0041"],
    ["\u{E0101}", "U+E0101"],
    ["\u001B", "U+001B"],
    ["a\rb", "U+000D"],
    ["\u0000", "U+0000"],
    ["\u2028", "U+2028"],
  ];
  for (const [text, code] of hidden) {
    assertEquals(hiddenCharacters(text), { count: 1, codes: [code], line: 1 }, code);
  }
  assertEquals(hiddenCharacters("a\nb\u200B\u200B\nc\u202E"), {
    count: 3,
    codes: ["U+200B", "U+202E"],
    line: 2,
  });
});

Deno.test("for any text: once marked, nothing of it is hidden, and what was plain is as it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const marked = markHidden(text);
      assertEquals(hiddenCharacters(marked), null);
      if (hiddenCharacters(text) === null) {
        assertEquals(marked, text.replace(/\r(?=\n|$)/g, ""));
      }
    }),
  );
});
