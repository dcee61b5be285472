// Covers lineCutter(): lines as a terminal would leave them on the screen.

import { assertEquals } from "@std/assert";
import { lineCutter } from "../../../../../src/base/system/real/run.ts";

const { test } = Deno;

/** The lines of pieces of text that arrive at given moments, in milliseconds. */
function cut(...pieces: readonly (readonly [number, string])[]): string[] {
  const lines: string[] = [];
  let now = 0;
  const cutter = lineCutter((line) => lines.push(line), () => now);
  for (const [at, text] of pieces) {
    now = at;
    cutter.feed(text);
  }
  cutter.end();
  return lines;
}

test("lineCutter() keeps the last of a burst", () => {
  assertEquals(
    cut([0, "Receiving:  1%\rReceiving:  2%\r"], [10, "Receiving: 99%\rReceiving: 100%, done.\n"]),
    ["Receiving: 100%, done."],
  );
});

test("lineCutter() delivers a burst that a bare newline ends", () => {
  assertEquals(cut([0, "a  1%\ra 100%\r\n"], [1, "b\n"]), ["a 100%", "b"]);
  assertEquals(cut([0, "a  1%\ra 100%\r"], [1, "\nb\n"]), ["a 100%", "b"]);
});

test("lineCutter() delivers a burst that nothing ended", () => {
  assertEquals(cut([0, "a  1%\ra  2%\r"]), ["a  2%"]);
  assertEquals(cut([0, "a  1%\ra  2%"]), ["a  2%"]);
});

test("lineCutter() shows now and then how far a long burst is", () => {
  const pieces = Array.from(
    { length: 120 },
    (_, tenth): readonly [number, string] => [tenth * 100, `at ${tenth}\r`],
  );
  assertEquals(cut(...pieces, [12_000, "done\n"]), [
    "at 9",
    "at 19",
    "at 29",
    "at 39",
    "at 49",
    "at 99",
    "done",
  ]);
});

test("lineCutter() does not keep what was wiped out", () => {
  assertEquals(cut([0, "working /\rworking -\r         \rdone\n"]), ["done"]);
});

test("lineCutter() leaves lines alone that a carriage return only ends", () => {
  assertEquals(cut([0, "one\r\n\r\ntwo\r\n"]), ["one", "", "two"]);
});
