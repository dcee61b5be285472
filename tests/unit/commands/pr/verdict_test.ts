import { assertEquals } from "@std/assert";
import {
  type Blocker,
  blockersOf,
  type Judged,
  stateOf,
  withNeeds,
} from "../../../../src/commands/pr/verdict.ts";
import type { ChangeState } from "../../../../src/forge/mod.ts";

const FINE: ChangeState = {
  change: {
    number: 1,
    url: "https://host/1",
    state: "open",
    draft: false,
    title: "",
    body: "",
    head: { branch: "feature/P-1", sha: "aaaa" },
    base: { branch: "main", sha: "bbbb" },
    merge_sha: null,
    labels: [],
    reviewers: [],
  },
  mergeable: true,
  queued: false,
  checks: { state: "none", total: 0, failed: [], pending: [] },
  review: { state: "none", approvals: 0, stale: 0 },
  protected: false,
};

type Options = NonNullable<Parameters<typeof blockersOf>[1]>;

const CASES: readonly (readonly [string, Partial<ChangeState>, Options, readonly Blocker[]])[] = [
  ["nothing", {}, {}, []],
  ["nobody knows yet whether it merges", { mergeable: null }, {}, []],
  ["a conflict", { mergeable: false }, {}, ["conflict"]],
  ["a draft", { change: { ...FINE.change, draft: true } }, {}, ["draft"]],
  ["a queue", { queued: true }, {}, ["queued"]],
  ["a failed check", { checks: { ...FINE.checks, failed: ["ci"] } }, {}, ["checks"]],
  ["an ignored check", { checks: { ...FINE.checks, failed: ["ci"] } }, { ignored: ["ci"] }, []],
  [
    "an ignored check beside another",
    { checks: { ...FINE.checks, failed: ["ci", "lint"] } },
    { ignored: ["ci"] },
    ["checks"],
  ],
  ["a running check", { checks: { ...FINE.checks, pending: ["ci"] } }, {}, ["checks_pending"]],
  ["a review", { review: { ...FINE.review, state: "required" } }, {}, ["review"]],
  [
    "changes that are asked for",
    { review: { ...FINE.review, state: "changes_requested" } },
    {},
    ["changes_requested"],
  ],
  ["rules", { protected: true }, {}, ["protected"]],
  [
    "rules that a check explains",
    { protected: true, checks: { ...FINE.checks, failed: ["ci"] } },
    {},
    ["checks"],
  ],
  ["a commit that is only here", {}, { here: { isAhead: true, isBehind: false } }, [
    "not_pushed",
  ]],
  ["one that is not here", {}, { here: { isAhead: false, isBehind: true } }, ["behind"]],
  ["both", {}, { here: { isAhead: true, isBehind: true } }, ["not_pushed", "behind"]],
  ["the same commit here", {}, { here: { isAhead: false, isBehind: false } }, []],
];

for (const [name, standing, options, expected] of CASES) {
  Deno.test(`blockersOf() with ${name}`, () => {
    assertEquals(blockersOf({ ...FINE, ...standing }, options), expected);
  });
}

function row(name: string, state: Judged["state"], ...blocked_by: readonly Blocker[]): Judged {
  return { name, state, blocked_by };
}

Deno.test("withNeeds() lets those wait whose needs are not merged", () => {
  const needs = new Map([["lib", []], ["api", ["lib"]], ["web", ["lib", "api"]]]);
  const rows = [row("lib", "merged"), row("api", "open", "checks"), row("web", "open")];
  assertEquals(withNeeds(rows, needs).map(({ blocked_by }) => blocked_by), [
    [],
    ["checks"],
    ["depends_on:api"],
  ]);
});

const STATES: readonly (readonly [readonly Judged[], string])[] = [
  [[], "none"],
  [[row("a", "open")], "ready"],
  [[row("a", "open"), row("b", "open", "depends_on:a")], "ready"],
  [[row("a", "open", "checks")], "open"],
  [[row("a", "open"), row("b", "closed")], "open"],
  [[row("a", "merged"), row("b", "open")], "partly_landed"],
  [[row("a", "merged"), row("b", "closed")], "partly_landed"],
  [[row("a", "merged")], "landed"],
  [[row("a", "closed")], "closed"],
  [[row("a", "merged"), row("b", "open", "queued")], "landing"],
];

for (const [rows, expected] of STATES) {
  Deno.test(`stateOf() ${rows.map(({ state }) => state).join(", ")} is ${expected}`, () => {
    assertEquals(stateOf(rows), expected);
  });
}
