// Covers canonicalJson(), fingerprint() and factChanges().

// @ts-types="@types/std/assert.d.ts"
import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import {
  type Bound,
  canonicalJson,
  factChanges,
  fingerprint,
  sha256,
} from "../../../src/policy/fingerprint.ts";

const BOUND: Bound = {
  tool: "amof_push_ecosystem",
  args: { repos: ["api"], message: null },
  root: "/space",
  ecosystem: "demo",
  facts: { api: { head: "abc", ahead: 2 } },
};

const EQUAL: readonly (readonly [string, unknown, unknown])[] = [
  ["the order of keys", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  ["members that are undefined", { a: 1, b: undefined }, { a: 1 }],
  ["undefined and null in a list", [undefined, 1], [null, 1]],
  ["minus zero", [-0], [0]],
];

for (const [what, a, b] of EQUAL) {
  Deno.test(`canonicalJson() does not see ${what}`, () =>
    assertEquals(canonicalJson(a), canonicalJson(b)));
}

const DIFFERENT: readonly (readonly [string, unknown, unknown])[] = [
  ["the order of a list", [1, 2], [2, 1]],
  ["null and an absent member", { a: null }, {}],
  ["a number and its text", { a: 1 }, { a: "1" }],
  ["an empty list and an empty object", [], {}],
  ["where a member lies", { a: { b: 1 } }, { a: {}, b: 1 }],
  ["a key that looks like two", { 'a":1,"b': 1 }, { a: 1, b: 1 }],
];

for (const [what, a, b] of DIFFERENT) {
  Deno.test(`canonicalJson() tells ${what} apart`, () =>
    assertNotEquals(canonicalJson(a), canonicalJson(b)));
}

Deno.test("canonicalJson() writes JSON", () => {
  assertEquals(
    canonicalJson({ b: [1, "x", null, true], a: 'q"' }),
    '{"a":"q\\"","b":[1,"x",null,true]}',
  );
  assertEquals(canonicalJson(undefined), "null");
});

Deno.test("sha256() is the well-known hash", () => {
  assertEquals(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

Deno.test("fingerprint() is a hash that does not depend on the order of keys", () => {
  const { facts, ecosystem, root, args, tool } = BOUND;
  assertMatch(fingerprint(BOUND), /^[0-9a-f]{64}$/);
  assertEquals(fingerprint({ facts, ecosystem, root, args, tool }), fingerprint(BOUND));
});

const CHANGED: Readonly<Record<keyof Bound, Bound>> = {
  tool: { ...BOUND, tool: "amof_discard_workspace" },
  args: { ...BOUND, args: { repos: ["api", "web"], message: null } },
  root: { ...BOUND, root: "/other" },
  ecosystem: { ...BOUND, ecosystem: "shop" },
  facts: { ...BOUND, facts: { api: { head: "abd", ahead: 2 } } },
};

for (const [member, bound] of Object.entries(CHANGED)) {
  Deno.test(`fingerprint() depends on ${member}`, () =>
    assertNotEquals(fingerprint(bound), fingerprint(BOUND)));
}

const CHANGES: readonly (readonly [string, unknown, unknown, readonly string[]])[] = [
  ["nothing when nothing changed", { a: [1] }, { a: [1] }, []],
  ["a changed member", { a: 1, b: 2 }, { a: 1, b: 3 }, ["b: 2 → 3"]],
  ["a member deep inside", { r: { api: { head: "x" } } }, { r: { api: { head: "y" } } }, [
    "r.api.head: x → y",
  ]],
  ["an item of a list", { r: ["a", "b"] }, { r: ["a", "c"] }, ["r[1]: b → c"]],
  ["a member that came", {}, { a: 1 }, ["a: nothing → 1"]],
  ["a member that went", { a: 1 }, {}, ["a: 1 → nothing"]],
  ["a member that came as null", {}, { a: null }, ["a: nothing → null"]],
  ["an item that came as null", { r: [] }, { r: [null] }, ["r[0]: nothing → null"]],
  ["a longer list", { r: ["a"] }, { r: ["a", "b"] }, ["r[1]: nothing → b"]],
  ["a list that became an object", { a: [1] }, { a: { 0: 1 } }, ['a: [1] → {"0":1}']],
  ["a value that became null", { a: { b: 1 } }, { a: null }, ['a: {"b":1} → null']],
  ["the whole value", "x", "y", ["preview: x → y"]],
];

for (const [what, before, after, lines] of CHANGES) {
  Deno.test(`factChanges() shows ${what}`, () =>
    assertEquals(factChanges(before, after), [...lines]));
}

Deno.test("factChanges() stops at the limit and says how many are left", () => {
  const facts = (value: number) =>
    Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`r${n}`, value]));
  assertEquals(factChanges(facts(1), facts(2), 2), ["r0: 1 → 2", "r1: 1 → 2", "… and 3 more"]);
});

Deno.test("factChanges() cuts long values", () => {
  const [line = ""] = factChanges({ a: "x".repeat(200) }, { a: 1 });
  assertEquals(line, `a: ${"x".repeat(79)}… → 1`);
});
