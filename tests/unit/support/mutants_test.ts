import { assertEquals, assertThrows } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { MUTANTS } from "../../mutants/list.ts";
import { broken, type Mutant, occurrences } from "../../mutants/mutant.ts";
import { chosen, optionsOf } from "../../mutants/options.ts";
import { failuresIn } from "../../mutants/suite.ts";
import { mistakesIn } from "../../mutants/types.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

function mutant(fields: Partial<Mutant>): Mutant {
  return { id: "a", file: "src/a.ts", find: "b", replace: "c", harm: "", tests: [], ...fields };
}

Deno.test("every mutant breaks a text that stands in its file exactly once", () => {
  const stale = MUTANTS.filter(({ file, find }) =>
    occurrences(Deno.readTextFileSync(join(ROOT, file)), find) !== 1
  );
  assertEquals(stale.map(({ id }) => id), []);
});

Deno.test("every mutant has an id of its own, changes something, and names tests that are there", () => {
  const ids = MUTANTS.map(({ id }) => id);
  assertEquals(ids.filter((id, at) => !/^[a-z-]+$/.test(id) || ids.indexOf(id) !== at), []);
  const wrong = MUTANTS.filter(({ find, replace, tests }) =>
    find === replace || tests.length === 0 ||
    tests.some((file) => !file.startsWith("tests/") || !isThere(file))
  );
  assertEquals(wrong.map(({ id }) => id), []);
});

function isThere(file: string): boolean {
  try {
    return Deno.statSync(join(ROOT, file)).isFile;
  } catch {
    return false;
  }
}

Deno.test("a break takes its text by the letter, and only where it stands once", () => {
  assertEquals(broken("a.b", [mutant({ find: ".", replace: "$&" })]), "a$&b");
  assertThrows(() => broken("b b", [mutant({})]), Error, "2 times");
  assertThrows(() => broken("x", [mutant({})]), Error, "0 times");
});

Deno.test("mutants are chosen by id, pattern and room", () => {
  const all = [
    mutant({ id: "push-one", file: "src/git/a.ts" }),
    mutant({ id: "push-two", file: "src/commands/ticket/a.ts" }),
    mutant({ id: "other", file: "src/base/error.ts" }),
  ];
  const ids = (...args: string[]) => {
    const options = optionsOf(args);
    return options === null ? null : chosen(all, options).map(({ id }) => id);
  };
  assertEquals(ids(), ["push-one", "push-two", "other"]);
  assertEquals(ids("--only", "push-*"), ["push-one", "push-two"]);
  assertEquals(ids("--only", "push", "--only", "other"), ["other"]);
  assertEquals(ids("--room", "commands/ticket"), ["push-two"]);
  assertEquals(ids("--jobs", "0"), null);
  assertEquals(ids("--nonsense"), null);
  assertEquals(ids("--room", "base", "--room", "git"), ["push-one", "other"]);
});

Deno.test("the tests that failed are read from what the runner prints", () => {
  const text = ` FAILURES 

a › b => ./tests/unit/a_test.ts:1:6
c ... inner => ./tests/unit/a_test.ts:2:39
./tests/b_test.ts (uncaught error)

FAILED | 1 passed | 3 failed (1 step) (209ms)`;
  assertEquals(failuresIn(text), [
    "tests/unit/a_test.ts › a › b",
    "tests/unit/a_test.ts › c ... inner",
    "tests/b_test.ts › an error outside of its tests",
  ]);
});

Deno.test("what the compiler says of names that are not used is no mistake", () => {
  const text = `TS6133 [ERROR]: 'a' is declared but its value is never read.
import { a } from "./b.ts";
    at file:///tree/src/a.ts:1:10

TS2322 [ERROR]: Type 'number' is not assignable to type 'string'.
    at file:///tree/src/c.ts:7:3`;
  assertEquals(mistakesIn(text, "/tree"), [{ file: "src/c.ts", line: 7 }]);
});
