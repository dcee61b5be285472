import { assertEquals } from "@std/assert";
import type { PullRequest } from "../../../src/forge/mod.ts";
import {
  bestOf,
  checksOf,
  type OneCheck,
  pageAt,
  reviewOf,
  type Verdict,
} from "../../../src/forge/answers.ts";

function checks(...all: readonly (readonly [string, boolean | null])[]): OneCheck[] {
  return all.map(([name, passed]) => ({ name, passed }));
}

const CHECKS: readonly (readonly [OneCheck[], string, number])[] = [
  [checks(), "none", 0],
  [checks(["a", true], ["b", true]), "success", 2],
  [checks(["a", true], ["b", null]), "pending", 2],
  [checks(["a", false], ["b", null]), "failure", 2],
  // The newest of a name stands first: an older failure does not count.
  [checks(["a", true], ["a", false]), "success", 1],
  [checks(["a", null], ["a", true]), "pending", 1],
];

for (const [all, state, total] of CHECKS) {
  Deno.test(`checksOf() ${JSON.stringify(all)}`, () => {
    const found = checksOf(all);
    assertEquals([found.state, found.total], [state, total]);
  });
}

function verdict(who: string, what: Verdict["verdict"], sha = "new"): Verdict {
  return { who, verdict: what, sha };
}

const REVIEWS: readonly (readonly [Verdict[], boolean, readonly [string, number, number]])[] = [
  [[], false, ["none", 0, 0]],
  [[], true, ["required", 0, 0]],
  [[verdict("a", "approved")], false, ["approved", 1, 0]],
  [[verdict("a", "approved", "old")], false, ["approved", 1, 1]],
  [[verdict("a", "changes_requested"), verdict("a", "approved")], false, ["approved", 1, 0]],
  [[verdict("a", "approved"), verdict("a", "dismissed")], false, ["none", 0, 0]],
  [[verdict("a", "approved"), verdict("b", "changes_requested")], false, [
    "changes_requested",
    1,
    0,
  ]],
  [[verdict("a", "approved")], true, ["required", 1, 0]],
];

for (const [verdicts, required, expected] of REVIEWS) {
  Deno.test(`reviewOf() ${JSON.stringify(verdicts)} ${required}`, () => {
    const { state, approvals, stale } = reviewOf(verdicts, "new", required);
    assertEquals([state, approvals, stale], [...expected]);
  });
}

const KNOWN = "https://host/shop/api/pull/1";
const PAGES: readonly (readonly [string, string])[] = [
  ["https://host/shop/api/pull/7", "https://host/shop/api/pull/7"],
  ["https://evil.example/shop/api/pull/7", KNOWN],
  ["https://me:pw@host/shop/api/pull/7", KNOWN],
  ["javascript://host/%0aalert(1)", KNOWN],
  ["https://host/a b", KNOWN],
  ["", KNOWN],
];

for (const [said, expected] of PAGES) {
  Deno.test(`pageAt() ${said}`, () => {
    assertEquals(pageAt(said, { site: "https://host" }, KNOWN), expected);
  });
}

/** A pull request of a list. */
function listed(number: number, head: string, state: PullRequest["state"]): PullRequest {
  return {
    number,
    state,
    head: { branch: head },
    base: { branch: "main" },
  } as unknown as PullRequest;
}

/** The lists, newest first, and the number of the one that is meant. */
const LISTS: readonly (readonly [readonly PullRequest[], number | null])[] = [
  [[], null],
  [[listed(2, "theirs", "open")], null],
  [[listed(3, "work", "closed"), listed(1, "work", "merged")], 3],
  [[listed(3, "work", "closed"), listed(2, "theirs", "open"), listed(1, "work", "open")], 1],
];

for (const [changes, number] of LISTS) {
  Deno.test(`bestOf() ${changes.map((one) => `${one.head.branch} ${one.state}`).join(", ")}`, () => {
    assertEquals(bestOf(changes, { head: "work", base: "main" })?.number ?? null, number);
    assertEquals(bestOf(changes, { head: "work", base: "next" }), null);
  });
}
