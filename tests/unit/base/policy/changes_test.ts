// Covers factChanges() and changeLines().

import { assertEquals } from "@std/assert";
import { changeLines, factChanges } from "../../../../src/base/policy/changes.ts";

const CHANGES: readonly (readonly [string, unknown, unknown, readonly string[]])[] = [
  ["nothing when nothing changed", { a: [1] }, { a: [1] }, []],
  ["a changed member", { a: 1, b: 2 }, { a: 1, b: 3 }, ["b: 2 → 3"]],
  ["a member deep inside", { r: { api: { head: "x" } } }, { r: { api: { head: "y" } } }, [
    "r, api, head: x → y",
  ]],
  [
    "a fact, and not what could be done about it",
    { r: { reason: "none", fix: null } },
    { r: { reason: "dirty", fix: "amof push --commit" } },
    ["r, reason: none → dirty"],
  ],
  ["an item of a list", { r: ["a", "b"] }, { r: ["a", "c"] }, ["r: b → c"]],
  ["a member that came", {}, { a: 1 }, ["a: nothing → 1"]],
  ["a member that went", { a: 1 }, {}, ["a: 1 → nothing"]],
  ["a member that came as null", {}, { a: null }, ["a: nothing → none"]],
  ["an item that came as null", { r: [] }, { r: [null] }, ["r: also none"]],
  ["a longer list", { r: ["a"] }, { r: ["a", "b"] }, ["r: also b"]],
  ["a list that became an object", { a: [1] }, { a: { 0: 1 } }, ['a: [1] → {"0":1}']],
  ["a value that became null", { a: { b: 1 } }, { a: null }, ['a: {"b":1} → none']],
  ["the whole value", "x", "y", ["preview: x → y"]],
  ["a named item by its name", { r: [{ name: "api", n: 1 }] }, { r: [{ name: "api", n: 2 }] }, [
    "api, r, n: 1 → 2",
  ]],
  [
    "a named item that came, and nothing about the others",
    { r: [{ name: "web", n: 1 }] },
    { r: [{ name: "api", n: 1 }, { name: "web", n: 1 }] },
    ["api, r: new"],
  ],
  ["a named item that went", { r: [{ name: "api", n: 1 }] }, { r: [] }, ["api, r: gone"]],
  [
    "another order of named items",
    { r: [{ name: "a" }, { name: "b" }] },
    { r: [{ name: "b" }, { name: "a" }] },
    ['r: [{"name":"a"},{"name":"b"}] → [{"name":"b"},{"name":"a"}]'],
  ],
  [
    "items by position where a name stands twice",
    { r: [{ name: "a", n: 1 }, { name: "a", n: 2 }] },
    { r: [{ name: "a", n: 1 }, { name: "a", n: 3 }] },
    ["r, n: 2 → 3"],
  ],
  [
    "contents without their hashes",
    { r: [{ name: "api", changes_digest: "a393" }] },
    { r: [{ name: "api", changes_digest: "d5b0" }] },
    ["api, r: its files have other contents"],
  ],
  [
    "what a push would do otherwise, in words",
    {
      repos_affected: ["api"],
      skipped: [{ name: "docs", blocked: false }],
      repos: [{ name: "web" }],
    },
    { repos_affected: [], skipped: [{ name: "docs", blocked: true }], repos: [] },
    ["repos affected: without api", "docs, skipped, blocked: no → yes", "web: gone"],
  ],
  ["values without what could hide or reorder them", { a: "x" }, { a: "\u001b[2J\u202ey\nz" }, [
    "a: x → y z",
  ]],
  ["names without it either", {}, { "\u001b[31ma\nb": 1 }, ["a b: nothing → 1"]],
];

for (const [what, before, after, lines] of CHANGES) {
  Deno.test(`factChanges() shows ${what}`, () =>
    assertEquals(changeLines(factChanges(before, after)), [...lines]));
}

Deno.test("factChanges() tells what came and what went from what is null", () => {
  assertEquals(factChanges({ a: 1, b: null }, { b: 2, c: null }), {
    changed: [{ path: "a", before: 1 }, { path: "b", before: null, after: 2 }, {
      path: "c",
      after: null,
    }],
  });
});

Deno.test("factChanges() stops at the limit and says how many are left", () => {
  const facts = (value: number) =>
    Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`r${n}`, value]));
  const changes = factChanges(facts(1), facts(2));
  assertEquals([changes.changed.length, changes.more_changed], [10, 3]);
  assertEquals(changeLines(changes).slice(-2), ["r9: 1 → 2", "… and 3 more"]);
});

Deno.test("factChanges() cuts long values", () => {
  const { changed: [change] } = factChanges({ a: "x".repeat(200) }, { a: { b: "y".repeat(200) } });
  assertEquals([String(change?.before).length, String(change?.after).length], [80, 80]);
});
