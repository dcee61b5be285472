// What a command over many repositories says of those that went wrong.

import { assertEquals } from "@std/assert";
import { outcomeOf, type RepoRow } from "../../../src/contract/outcome.ts";

const row = (name: string, result: string, code: RepoRow["code"] = "repo_dirty"): RepoRow => ({
  name,
  result,
  detail: "1 file not committed",
  code,
  fix: null,
});

const CASES: readonly (readonly [RepoRow[], number, string])[] = [
  [[row("api", "skipped")], 0, 'Pushed 0 of 1: "api" was held back: 1 file not committed'],
  [
    [row("api", "skipped"), row("ok", "pushed", null), row("web", "skipped"), row("z", "skipped")],
    1,
    'Pushed 1 of 4: 3 repos were held back, first "api": 1 file not committed',
  ],
  [
    [row("api", "failed"), row("web", "skipped")],
    0,
    'Pushed 0 of 2: 2 repos failed or were held back, first "api": 1 file not committed',
  ],
  [
    [row("api", "conflict"), row("web", "conflict")],
    0,
    'Pushed 0 of 2: 2 repos stopped, first "api": 1 file not committed',
  ],
];

Deno.test("a failure says how many repositories went wrong, and the first of them", () => {
  for (const [rows, done, message] of CASES) {
    const head = (went: number, of: number) => `Pushed ${went} of ${of}:`;
    const { failure, outcome } = outcomeOf(rows, { done, head, told: ["name"] });
    assertEquals(failure?.message, message);
    assertEquals(outcome, done > 0 ? "partial" : "failed");
  }
});
