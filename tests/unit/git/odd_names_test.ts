// Names that are no UTF-8: as text and back, byte for byte.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { bytesOf, isOddName, textOf } from "../../../src/git/odd_names.ts";
import { cleanLine } from "../../../src/base/text/sanitize.ts";

Deno.test("bytes become text and the same bytes again, whatever they are", () => {
  const one = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.string({ unit: "binary", maxLength: 6 }).map((text) => new TextEncoder().encode(text)),
  );
  fc.assert(fc.property(fc.array(one, { maxLength: 6 }), (pieces) => {
    const bytes = new Uint8Array(pieces.flatMap((piece) => [...piece]));
    assertEquals(bytesOf(textOf(bytes)), bytes);
  }));
  // Surrogates and overlong forms are none of UTF-8, the ends of its ranges are.
  for (const bytes of [[0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf5], [0xf4, 0x90, 0x80, 0x80]]) {
    assert(isOddName(textOf(Uint8Array.from(bytes))), String(bytes));
    assertEquals([...bytesOf(textOf(Uint8Array.from(bytes)))], bytes);
  }
  for (
    const text of ["\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\u{10000}", "\u{10ffff}"]
  ) {
    assertEquals(textOf(new TextEncoder().encode(`\ufeff${text}`)), `\ufeff${text}`);
  }
});

Deno.test("a name that is no UTF-8 is shown with its bytes written out", () => {
  const name = textOf(Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x2e, 0x74));
  assertEquals([isOddName(name), isOddName("café.t")], [true, false]);
  assertEquals(cleanLine(name), "caf\\xe9.t");
  assertEquals(cleanLine("\ud800x"), "\ufffdx");
});
