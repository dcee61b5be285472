// Property: a manifest names every repository whose place is at, above or below that of an earlier one.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { manifestErrors } from "../../src/workspace/manifest/checks.ts";

const step = fc.constantFrom("a", "b", "A", "ab", "c.d", "e-f");
const path = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => steps.join("/"));

/** Whether of two places one is the other, or holds it. */
function meet(one: string, other: string): boolean {
  const [short, long] = [one, other].map((text) => text.toLowerCase().split("/"))
    .sort((a, b) => a.length - b.length);
  return short?.every((word, index) => word === long?.[index]) ?? false;
}

Deno.test("a manifest names every pair of places that collide, in the order of the first", () => {
  fc.assert(fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
    const repos = paths.map((each, index) => ({ name: `r${index}`, url: "file:///r", path: each }));
    const found = manifestErrors({ name: "shop", repos }, "shop")
      .map(({ message }) => message);
    // Where a place was given again, the last repository with it is the one that is named.
    const expected = paths.flatMap((each, index) => {
      const before = paths.slice(0, index);
      const places = [...new Set(before.map((other) => other.toLowerCase()))];
      return places.filter((other) => meet(other, each)).map((other) => {
        const last = before.findLastIndex((earlier) => earlier.toLowerCase() === other);
        return `"${each}" collides with the path of "r${last}"`;
      });
    });
    assertEquals(found, expected);
  }));
});
