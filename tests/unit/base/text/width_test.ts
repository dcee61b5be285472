// How wide text is: what is counted without the library is counted as the library does.

import { assertEquals } from "@std/assert";
import fastStringWidth from "fast-string-width";
import { textWidth } from "../../../../src/base/text/table.ts";

Deno.test("textWidth() counts every character alone and beside a combining mark as the library does", () => {
  const wrong: string[] = [];
  for (let code = 0x20; code < 0x2_0000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    for (const text of [character, `a${character}b`, `${character}\u0301`, `${character}\ufe0f`]) {
      if (textWidth(text) !== fastStringWidth(text.normalize("NFC"))) {
        wrong.push(code.toString(16));
      }
    }
  }
  assertEquals(wrong, []);
});

Deno.test("textWidth() tells signs of one column, wide characters, emoji and combining marks apart", () => {
  assertEquals(
    ["✓ api · 3 ↑ …", "日本", "👩‍💻", "e\u0301", "\u001b[32mok\u001b[39m"].map(textWidth),
    [13, 4, 2, 1, 2],
  );
});
