// Names with `*` and `?` in them.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { fits, isWildcard } from "../../../../src/base/text/wildcard.ts";

Deno.test("fits() agrees with the regular expression that says the same", () => {
  const letters = fc.string({ unit: fc.constantFrom(..."ab-*?.["), maxLength: 8 });
  fc.assert(
    fc.property(letters, fc.string({ unit: fc.constantFrom(..."ab-.["), maxLength: 8 }), (
      pattern,
      name,
    ) => {
      const source = [...pattern].map((character) =>
        character === "*"
          ? ".*"
          : character === "?"
          ? "."
          : `\\u{${character.charCodeAt(0).toString(16)}}`
      ).join("");
      assertEquals(fits(pattern, name), new RegExp(`^(?:${source})$`, "su").test(name));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("fits() ends soon with many stars", () => {
  assertEquals(fits(`${"*a".repeat(400)}b`, "a".repeat(1000)), false);
  assertEquals([isWildcard("a.b"), isWildcard("a?"), isWildcard("*")], [false, true, true]);
});
