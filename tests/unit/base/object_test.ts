// Covers defined(): what is left out, and what its type says about the rest; readObject() and mapMembers().

import { assert, assertEquals } from "@std/assert";
import { defined, mapMembers, readObject } from "../../../src/base/object.ts";

interface Options {
  readonly always: number;
  readonly hint?: string;
  readonly code?: string | null;
}

Deno.test("defined() leaves out what is undefined, and nothing else", () => {
  const found = defined({ always: 0, hint: undefined, code: null, no: false, empty: "" });
  assertEquals(Object.keys(found), ["always", "code", "no", "empty"]);
});

Deno.test("defined() makes members that may be undefined ones that may be missing", () => {
  const hint: string | undefined = ["there"].at(0);
  const options: Options = defined({ always: 1, hint, code: null });
  assertEquals(options, { always: 1, hint: "there", code: null });
});

Deno.test("readObject() answers an object, or why there is none", () => {
  assertEquals(readObject('{"a":1}'), { a: 1 });
  assertEquals(readObject("{"), "it is not valid JSON");
  for (const text of ["[]", "null", '"a"']) {
    assertEquals(readObject(text), "it does not hold an object");
  }
});

Deno.test("mapMembers() copies what a change differs from, and leaves the rest as it is", () => {
  const seen: string[] = [];
  const told = (member: unknown, name: string) => {
    seen.push(name);
    return typeof member === "string" ? member.toLowerCase() : member;
  };
  const same = { a: "a", b: ["B"] };
  assert(mapMembers(same, told) === same);
  assert(mapMembers(same.b, (item) => item) === same.b);
  assertEquals(seen, ["a", "b"]);
  assertEquals(mapMembers({ a: "A", b: undefined, c: 1 }, told), { a: "a", b: undefined, c: 1 });
  assertEquals(mapMembers(["A", 1, "b"], told), ["a", 1, "b"]);
});

Deno.test("mapMembers() takes every name of JSON for a member", () => {
  const value = JSON.parse('{"__proto__":"A","constructor":"B"}');
  const mapped = mapMembers(value, (member) => `${member}!`) as object;
  assertEquals(JSON.stringify(mapped), '{"__proto__":"A!","constructor":"B!"}');
  assert(Object.getPrototypeOf(mapped) === Object.prototype);
});
