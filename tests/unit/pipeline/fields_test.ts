// Covers --json=FIELD,…: what is taken out of arguments, and what is left of an answer.

import { assertEquals, assertThrows } from "@std/assert";
import { onlyFields, takeFields } from "../../../src/pipeline/line/fields.ts";
import { AmofError } from "../../../src/base/error.ts";

const ANSWER = {
  summary: "Two.",
  ecosystem: "demo",
  totals: { repos: 2, dirty: 1 },
  none: null,
  empty: [],
  repos: [
    { name: "api", ahead: 1, ticket: { id: "T-1", title: "x" } },
    { name: "web", ahead: 0, error: "gone", ticket: null },
  ],
};

Deno.test("fields are taken out of the arguments up to --", () => {
  assertEquals(takeFields(["status", "--json"]), { rest: ["status", "--json"], fields: null });
  assertEquals(takeFields(["--json=a,b.c", "-v", "--json= d ,", "--", "--json=x"]), {
    rest: ["--json", "-v", "--json", "--", "--json=x"],
    fields: ["a", "b.c", "d"],
  });
  assertThrows(() => takeFields(["--json="]), AmofError, "without a field");
});

Deno.test("only the fields that are named are left, of lists for each item", () => {
  const only = (...fields: string[]) => onlyFields(ANSWER, fields);
  assertEquals(only("summary"), { summary: "Two." });
  assertEquals(only("repos.name", "totals.dirty", "repos.ahead"), {
    repos: [{ name: "api", ahead: 1 }, { name: "web", ahead: 0 }],
    totals: { dirty: 1 },
  });
  assertEquals(only("repos.error"), { repos: [{ error: null }, { error: "gone" }] });
  assertEquals(only("repos.ticket.id"), {
    repos: [{ ticket: { id: "T-1" } }, { ticket: null }],
  });
  assertEquals(only("repos", "repos.name"), { repos: ANSWER.repos });
  // What a list without items, or a field without a value, would have, nobody can tell.
  assertEquals(only("empty.name", "none.name"), { empty: [], none: null });
});

Deno.test("a field that is not there is told with those that are", () => {
  const refusal = (field: string) => {
    const error = assertThrows(() => onlyFields(ANSWER, [field]), AmofError);
    return [error.message.replace("Cannot show the field ", ""), error.hint];
  };
  assertEquals(refusal("sumary"), [
    '"sumary": the answer has no such field; did you mean "summary"?',
    "There are summary, ecosystem, totals, none, empty and repos",
  ]);
  assertEquals(refusal("repos.branch"), [
    '"repos.branch": "repos" has no such field',
    "There are name, ahead, ticket and error",
  ]);
  assertEquals(refusal("repos.ticket.name"), [
    '"repos.ticket.name": "repos.ticket" has no such field',
    "There are id and title",
  ]);
  assertEquals(refusal("summary.x"), [
    '"summary.x": "summary" has no such field',
    "It is a plain value: name only what stands before the dot",
  ]);
});
