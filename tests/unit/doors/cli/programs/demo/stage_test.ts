/**
 * How much of a command's output a demo shows.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { ends, head } from "../../../../../../src/doors/cli/programs/demo/stage.ts";

const FIVE = "one\ntwo\n\nthree\nfour\n\nfive\n";

Deno.test("the first lines of an output, and how many are left out", () => {
  for (
    const [text, most, width, expected] of [
      ["", 3, 40, []],
      [FIVE, 5, 40, ["one", "two", "three", "four", "five"]],
      [FIVE, 2, 40, ["one", "two … 3 more lines"]],
      [FIVE, 2, 10, ["one", "… 4 more lines"]],
      [FIVE, 1, 10, ["… 5 more lines"]],
    ] as const
  ) assertEquals(head(text, most, width), [...expected]);
});

Deno.test("the first lines of an output and what sums it up", () => {
  for (
    const [text, most, width, expected] of [
      ["", 3, 40, []],
      ["alone\n", 1, 40, ["alone"]],
      [FIVE, 5, 40, ["one", "two", "three", "four", "five"]],
      [FIVE, 3, 40, ["one", "two … 2 more lines", "five"]],
      [FIVE, 3, 10, ["one", "… 3 more lines", "five"]],
      [FIVE, 1, 40, ["… five"]],
      ["one\n\nthe whole\nsum of it", 1, 12, ["… the whole", "sum of it"]],
      ["one\ntwo\n\nthe whole\nsum of it", 3, 40, ["one … 1 more line", "the whole", "sum of it"]],
    ] as const
  ) assertEquals(ends(text, most, width), [...expected]);
});
