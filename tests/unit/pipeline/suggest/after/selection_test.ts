// Which repositories an offer after a status is about, in few words.

import { assertEquals } from "@std/assert";
import { inFewWords } from "../../../../../src/pipeline/suggest/after/selection.ts";

const named = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `r${at + from}`);
const rows = (names: readonly string[], mode = "RW") => names.map((name) => ({ name, mode }));

const CASES: readonly (readonly [string, Parameters<typeof inFewWords>, object])[] = [
  ["few are named", [rows(named(12)), named(12)], { repos: named(12) }],
  ["all of many are not", [rows(named(13)), named(13)], {}],
  ["what is read only is none of them", [
    [...rows(named(13)), ...rows(["lib"], "RO")],
    named(13),
  ], {}],
  ["others are left out", [rows(named(15)), named(13)], { repos: ["!r13", "!r14"] }],
  ["more others are not", [rows(named(30)), named(13)], { repos: named(13) }],
];

for (const [that, given, expected] of CASES) {
  Deno.test(`inFewWords(): ${that}`, () => assertEquals(inFewWords(...given), expected));
}
