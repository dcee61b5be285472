import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import plugin from "./params.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** How many functions of a text the rule complains about. */
function found(text: string, file = `${ROOT}src/x.ts`): number {
  return Deno.lint.runPlugin(plugin, file, text).length;
}

for (
  const [what, text] of [
    ["a function", "export function f(a, b, c, d, e) {}"],
    ["a method", "class C { f(a, b, c, d, e) {} }"],
    ["a constructor", "class C { constructor(a, b, c, d, e) {} }"],
    ["an arrow function", "const f = (a, b, c, d, e) => a;"],
    ["the type of a function", "type F = (a: 1, b: 1, c: 1, d: 1, e: 1) => void;"],
    ["a method of an interface", "interface I { f(a: 1, b: 1, c: 1, d: 1, e: 1): void }"],
    ["a default", "function f(a, b, c, d, e = 1) {}"],
  ] as const
) {
  Deno.test(`a fifth parameter is refused: ${what}`, () => assertEquals(found(text), 1));
}

Deno.test("four parameters and one object with many members pass, and tests take what they like", () => {
  assertEquals(found("function f(a, b, c, { d, e, f }) {}"), 0);
  assertEquals(found("function f(a, b, c, d, e) {}", `${ROOT}tests/x.ts`), 0);
  // Only the checkout's own folder counts, not one of that name above or below it.
  assertEquals(found("function f(a, b, c, d, e) {}", `${ROOT}tests/src/x.ts`), 0);
  assertEquals(found("function f(a, b, c, d, e) {}", "/home/src/other/x.ts"), 0);
});
