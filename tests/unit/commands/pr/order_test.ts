import { assertEquals, assertThrows } from "@std/assert";
import { landingOrder } from "../../../../src/commands/pr/set.ts";
import { AmofError } from "../../../../src/base/error.ts";

const ALL = [
  { name: "web", dependsOn: ["api", "ui"] },
  { name: "ui", dependsOn: [] },
  { name: "api", dependsOn: ["core"] },
  { name: "core", dependsOn: ["lib"] },
  { name: "lib", dependsOn: [] },
  { name: "docs", dependsOn: [] },
];

const ORDERS: readonly (readonly [readonly string[], readonly string[], readonly string[]])[] = [
  [[], [], []],
  [["web"], [], ["web"]],
  [["web", "api", "lib"], [], ["lib", "api", "web"]],
  // What is needed by way of a repository without a pull request counts.
  [["api", "lib"], [], ["lib", "api"]],
  [["docs", "web", "ui"], [], ["ui", "docs", "web"]],
  [["web", "api", "lib"], ["web"], ["web", "lib", "api"]],
  [["web", "api", "lib"], ["api", "web", "api"], ["api", "web", "lib"]],
];

for (const [names, first, expected] of ORDERS) {
  Deno.test(`landingOrder() of ${names.join(", ")} with ${first.join(", ")} first`, () => {
    assertEquals(landingOrder(ALL, names, first), expected);
  });
}

Deno.test("landingOrder() refuses to put first what is not there", () => {
  const error = assertThrows(() => landingOrder(ALL, ["web"], ["wbe"]), AmofError);
  assertEquals([error.code, error.message.includes('did you mean "web"')], [
    "repo_not_found",
    true,
  ]);
});
