import { assertEquals } from "@std/assert";
import {
  compareBytes,
  comparePaths,
  concatBytes,
  decodeText,
  encodeText,
  sameBytes,
} from "../../../../src/apps/agentpack/content.ts";

Deno.test("compareBytes() orders by UTF-8 bytes where UTF-16 differs", () => {
  const texts = ["z", "\u{1F642}", "\uFF5E", "a", "aa", "日"];
  const sorted = [...texts].sort(compareBytes);
  assertEquals(sorted, ["a", "aa", "z", "日", "\uFF5E", "\u{1F642}"]);
});

Deno.test("comparePaths() orders component by component", () => {
  assertEquals(["a-b", "a/b"].sort(comparePaths), ["a/b", "a-b"]);
  assertEquals(["a-b", "a/b"].sort(compareBytes), ["a-b", "a/b"]);
  assertEquals(comparePaths("a", "a/b") < 0, true);
});

Deno.test("decodeText() is strict and keeps a byte order mark", () => {
  assertEquals(decodeText(new Uint8Array([0xff])), null);
  assertEquals(decodeText(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])), "\uFEFFa");
});

Deno.test("sameBytes() compares contents", () => {
  assertEquals(sameBytes(encodeText("ab"), encodeText("ab")), true);
  assertEquals(sameBytes(encodeText("ab"), encodeText("ac")), false);
  assertEquals(sameBytes(encodeText("ab"), encodeText("abc")), false);
  assertEquals(concatBytes([encodeText("a"), encodeText("b")]), encodeText("ab"));
});

Deno.test("sameBytes() sees a difference at every place, wherever the bytes begin", () => {
  for (let length = 0; length < 14; length++) {
    for (const [from, begin] of [[0, 0], [4, 8], [1, 0], [3, 2]] as const) {
      const of = (at: number) =>
        Uint8Array.from({ length: at + length }, (_, index) => index - at).subarray(at);
      assertEquals(sameBytes(of(from), of(begin)), true);
      for (let at = 0; at < length; at++) {
        const other = of(begin);
        other[at] = 0xff;
        assertEquals(sameBytes(of(from), other), false, `${length} ${from} ${begin} ${at}`);
      }
    }
  }
});
