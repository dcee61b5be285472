// Where the line that counts is drawn, where it is told, and how often.

import { assertEquals } from "@std/assert";
import { Counter, drawable } from "../../runner/counter.ts";

for (
  const [what, place, width] of [
    ["a terminal", { isTerminal: true, term: "xterm", columns: 40 }, 40],
    ["a pipe", { isTerminal: false, term: "xterm", columns: 40 }, null],
    ["a terminal without a width", { isTerminal: true, term: "xterm", columns: 0 }, null],
    ["a terminal that is dumb", { isTerminal: true, term: "dumb", columns: 40 }, null],
    ["a terminal without a name", { isTerminal: true, term: undefined, columns: 40 }, null],
    ["a terminal with an empty name", { isTerminal: true, term: "", columns: 40 }, null],
  ] as const
) {
  Deno.test(`a line that counts is drawn at a terminal that can: ${what}`, () => {
    assertEquals(drawable(place), width);
  });
}

/** What a counter writes when it ticks every quarter of a second and says something in between. */
function written(
  { width, seconds, said }: {
    readonly width: number | null;
    readonly seconds: number;
    readonly said?: number;
  },
): string[] {
  const texts: string[] = [];
  let now = 0;
  const report = { count: (ms: number, most = Infinity) => `${ms / 1000} of ${most}` };
  const counter = new Counter(report, {
    ms: () => now,
    columns: () => width,
    write: (text) => texts.push(text),
  });
  for (; now <= seconds * 1000; now += 250) {
    counter.tick();
    if (said !== undefined && now === said * 1000) counter.say(["a line", "another"]);
  }
  counter.say([]);
  return texts;
}

Deno.test("at a terminal the count is drawn once a second, in its place", () => {
  assertEquals(written({ width: 40, seconds: 3.75 }), [
    "\r\x1b[K1 of 39",
    "\r\x1b[K2 of 39",
    "\r\x1b[K3 of 39",
  ]);
});

Deno.test("lines that stay take the place of the count, and it comes back below them", () => {
  assertEquals(written({ width: 40, seconds: 2, said: 1.5 }), [
    "\r\x1b[K1 of 39",
    "\r\x1b[Ka line\nanother\n",
    "\r\x1b[K2 of 39",
  ]);
});

Deno.test("elsewhere the count is told once a minute, and nothing moves the cursor", () => {
  assertEquals(written({ width: null, seconds: 130, said: 61 }), [
    "60 of Infinity\n",
    "a line\nanother\n",
    "120 of Infinity\n",
  ]);
});
