// Laws of consent: what a token may be spent for, and what a fingerprint tells apart.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { factChanges } from "../../src/base/policy/changes.ts";
import { canonicalJson, fingerprint } from "../../src/base/policy/fingerprint.ts";
import { judge, type Redemption } from "../../src/base/policy/consent.ts";

// Few values, so that they often meet.
const few = fc.constantFrom("a", "b");
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(value, { nil: null, freq: 3 });

const redemption: fc.Arbitrary<Redemption> = fc.record({
  request: fc.option(
    fc.record({
      tool: few,
      kind: fc.constantFrom("simple" as const, "preview" as const, "type" as const),
      typedValue: orNull(few),
      fingerprint: few,
      expiresAt: fc.integer({ min: 0, max: 3 }),
      outcome: fc.option(fc.constantFrom("spent", "cancelled"), { nil: null, freq: 2 }),
      approval: fc.constantFrom(
        null,
        null,
        "pending" as const,
        "approved" as const,
        "declined" as const,
      ),
    }),
    { nil: null, freq: 10 },
  ),
  now: fc.integer({ min: 0, max: 3 }),
  tool: orNull(few),
  fingerprint: few,
  typedValue: orNull(few),
});

Deno.test("judge() answers spend exactly when everything is right", () => {
  let spent = 0;
  fc.assert(
    fc.property(redemption, (given) => {
      const { request } = given;
      const right = request !== null && request.outcome === null &&
        (given.tool === null || given.tool === request.tool) &&
        given.now < request.expiresAt &&
        given.fingerprint === request.fingerprint &&
        request.approval !== "pending" && request.approval !== "declined" &&
        (request.kind !== "type" || request.approval === "approved" ||
          (request.typedValue !== null && given.typedValue === request.typedValue));
      if (right) spent++;
      assertEquals(judge(given) === "spend", right);
    }),
    { numRuns: 3000 },
  );
  assert(spent > 20, "both answers were met");
});

Deno.test("judge() tells nothing about the state to who has no live token of that tool", () => {
  fc.assert(fc.property(redemption, few, (given, state) => {
    fc.pre(judge(given) === "invalid");
    assertEquals(judge({ ...given, fingerprint: state }), "invalid");
  }));
});

// Without backslashes: JSON.parse of V8 14.9 takes an escaped key for another one when an object before had
// a key that ends in a backslash.
const json = fc.jsonValue({ stringUnit: fc.constantFrom(...'ab01_ "é你💥\n\u2028\ud800') });

/** The value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).reverse().map(([key, item]) => [key, reversed(item)]),
  );
}

Deno.test("canonicalJson() does not see the order of members", () => {
  fc.assert(
    fc.property(
      json,
      (value) => assertEquals(canonicalJson(reversed(value)), canonicalJson(value)),
    ),
  );
});

Deno.test("canonicalJson() loses nothing", () => {
  fc.assert(fc.property(json, (value) => {
    assertEquals(
      JSON.stringify(reversed(JSON.parse(canonicalJson(value)))).length,
      JSON.stringify(value).length,
    );
    assertEquals(canonicalJson(JSON.parse(canonicalJson(value))), canonicalJson(value));
  }));
});

Deno.test("fingerprint() survives being stored as JSON", () => {
  fc.assert(fc.property(json, json, (args, facts) => {
    const bound = { tool: "t", args, root: "/r", ecosystem: "e", facts };
    assertEquals(fingerprint(JSON.parse(JSON.stringify(bound))), fingerprint(bound));
  }));
});

// Small values over few keys, so that two of them are often nearly the same.
const { value: small } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, 0, 1, "x", true),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b"), tie("value"), { maxKeys: 2 }),
  ),
}));

Deno.test("factChanges() is empty exactly when the fingerprints agree", () => {
  fc.assert(
    fc.property(small, small, (before, after) => {
      assertEquals(
        factChanges(before, after).changed.length === 0,
        canonicalJson(before) === canonicalJson(after),
      );
    }),
    { numRuns: 2000 },
  );
});
