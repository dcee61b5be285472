// Covers defined(): what is left out, and what its type says about the rest; and readObject().

import { assertEquals } from "@std/assert";
import { defined, readObject } from "../../../src/base/object.ts";

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
