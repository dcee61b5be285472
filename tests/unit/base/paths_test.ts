// Covers isBelow() and pathBelow(): what lies in a directory, by its parts and not by its letters.

import { assertEquals } from "@std/assert";
import { isBelow, pathBelow } from "../../../src/base/paths.ts";

const CASES: readonly (readonly [string, string, boolean, string | null])[] = [
  ["/a", "/a", true, null],
  ["/a", "/a/b/c", true, "b/c"],
  ["/a/", "/a/b", true, "b"],
  ["/", "/a", true, "a"],
  ["/a", "/ab", false, null],
  ["/a/b", "/a", false, null],
  ["/a", "/b/a", false, null],
  ["/a", "/a/../b", false, null],
  ["/a", "/a/..b", true, "..b"],
];

for (const [directory, path, inside, way] of CASES) {
  Deno.test(`${path} seen from ${directory}`, () => {
    assertEquals(isBelow(directory, path), inside);
    assertEquals(pathBelow(directory, path), way);
  });
}
