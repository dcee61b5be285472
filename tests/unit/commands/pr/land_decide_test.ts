import { assertEquals } from "@std/assert";
import {
  afterRefusal,
  type LandFact,
  obstaclesOf,
  surpriseOf,
} from "../../../../src/commands/pr/land/plan.ts";
import type { ChangeState, PullRequest } from "../../../../src/forge/mod.ts";

const CHANGE: PullRequest = {
  number: 7,
  url: "https://host/7",
  state: "open",
  draft: false,
  title: "",
  body: "",
  head: { branch: "feature/P-1", sha: "a".repeat(40) },
  base: { branch: "main", sha: "b".repeat(40) },
  merge_sha: null,
  labels: [],
  reviewers: [],
};
const MOVED = { branch: "feature/P-1", sha: "c".repeat(40) };

const FACT: LandFact = {
  name: "api",
  number: 7,
  url: "https://host/7",
  host: "host",
  branch: "feature/P-1",
  base: "main",
  head: "a".repeat(40),
  method: "merge",
  queue: false,
  commits: 1,
  commit_subjects: ["aaaaaaa Learn something"],
  checks: "success",
  review: "approved",
};

function standing(
  change: Partial<PullRequest>,
  more: Partial<ChangeState> = {},
): ChangeState {
  return {
    change: { ...CHANGE, ...change },
    mergeable: true,
    queued: false,
    checks: { state: "success", total: 1, failed: [], pending: [] },
    review: { state: "approved", approvals: 1, stale: 0 },
    protected: false,
    ...more,
  };
}

const FAILED = { state: "failure" as const, total: 1, failed: ["ci"], pending: [] };

const SURPRISES: readonly (readonly [string, ChangeState, readonly string[], string | null])[] = [
  ["nothing", standing({}), [], null],
  [
    "a push",
    standing({ head: MOVED }),
    [],
    "change_moved: #7 of api has moved: previewed aaaaaaa, now ccccccc",
  ],
  [
    "another base",
    standing({ base: { branch: "next", sha: "" } }),
    [],
    "change_moved: #7 of api is for another base branch now",
  ],
  [
    "another number",
    standing({ number: 8 }),
    [],
    "change_moved: #7 of api is for another base branch now",
  ],
  ["a merge", standing({ state: "merged" }), [], "change_moved: #7 of api was merged meanwhile"],
  ["a close", standing({ state: "closed" }), [], "change_moved: #7 of api was closed meanwhile"],
  ["a draft", standing({ draft: true }), [], "change_blocked: #7 of api is blocked: draft"],
  [
    "a failed check",
    standing({}, { checks: FAILED }),
    [],
    "change_blocked: #7 of api is blocked: checks",
  ],
  ["a check that does not count", standing({}, { checks: FAILED }), ["ci"], null],
  [
    "a conflict",
    standing({}, { mergeable: false }),
    [],
    "change_blocked: #7 of api is blocked: conflict",
  ],
];

for (const [name, now, ignored, expected] of SURPRISES) {
  Deno.test(`surpriseOf() with ${name}`, () => {
    const found = surpriseOf(FACT, now, ignored);
    assertEquals(found === null ? null : `${found.code}: ${found.why}`, expected);
  });
}

const REFUSED: readonly (readonly [string, Partial<PullRequest>, string])[] = [
  ["it is merged at that commit", { state: "merged" }, "merged"],
  ["it is merged at another commit", { state: "merged", head: MOVED }, "moved"],
  ["it is open as it was", {}, "open"],
  ["somebody has pushed", { head: MOVED }, "moved"],
  ["it is closed", { state: "closed" }, "moved"],
];

for (const [name, change, expected] of REFUSED) {
  Deno.test(`afterRefusal() where ${name}`, () => {
    assertEquals(afterRefusal(FACT, { ...CHANGE, ...change }), expected);
  });
}

Deno.test("obstaclesOf() tells everything at once, and leaves out what waits for others of the set", () => {
  const row = {
    name: "api",
    number: 7,
    state: "open" as const,
    blocked_by: [],
    queue: false,
    methods: ["merge", "squash"] as const,
  };
  const rows = [
    { ...row, name: "fine", blocked_by: ["depends_on:lib" as const] },
    { ...row, name: "landed", state: "merged" as const, queue: true },
    { ...row, name: "closed", state: "closed" as const },
    { ...row, name: "queue", queue: true, blocked_by: ["review" as const] },
    { ...row, name: "method", methods: ["merge"] as const },
  ];
  const found = (allowQueue: boolean) =>
    obstaclesOf(rows, { method: "squash", allowQueue }).map(({ name, blocked_by }) => [
      name,
      ...blocked_by,
    ]);
  assertEquals(found(false), [["closed", "closed"], ["queue", "review", "queue"], [
    "method",
    "method",
  ]]);
  assertEquals(found(true), [["closed", "closed"], ["queue", "review"], ["method", "method"]]);
});
