// Covers canonicalJson(), fingerprint() and sha256().

import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { sha256 } from "../../../../src/base/hash.ts";
import { type Bound, canonicalJson, fingerprint } from "../../../../src/base/policy/fingerprint.ts";

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

Deno.test("fingerprint() of the base workspace is the one from before there were others", () => {
  assertEquals(fingerprint({ ...BOUND, ticket: null }), fingerprint(BOUND));
});

const CHANGED: Readonly<Record<keyof Bound, Bound>> = {
  tool: { ...BOUND, tool: "amof_discard_workspace" },
  args: { ...BOUND, args: { repos: ["api", "web"], message: null } },
  root: { ...BOUND, root: "/other" },
  ecosystem: { ...BOUND, ecosystem: "shop" },
  ticket: { ...BOUND, ticket: "PROJ-1" },
  facts: { ...BOUND, facts: { api: { head: "abd", ahead: 2 } } },
};

for (const [member, bound] of Object.entries(CHANGED)) {
  Deno.test(`fingerprint() depends on ${member}`, () =>
    assertNotEquals(fingerprint(bound), fingerprint(BOUND)));
}
