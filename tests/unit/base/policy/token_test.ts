// Covers judge(): the whole table of a redemption (CONFIRM-9).

import { assertEquals } from "@std/assert";
import { judge, type Redemption, type Verdict } from "../../../../src/base/policy/consent.ts";

type Request = NonNullable<Redemption["request"]>;

const REQUEST: Request = {
  tool: "amof_push_ecosystem",
  kind: "simple",
  typedValue: null,
  fingerprint: "f1",
  expiresAt: 1000,
  outcome: null,
  approval: null,
};
const PARKED: Request = { ...REQUEST, approval: "pending" };
const TYPE: Request = { ...REQUEST, kind: "type", typedValue: "demo" };

const GOOD: Redemption = {
  request: REQUEST,
  now: 999,
  tool: "amof_push_ecosystem",
  fingerprint: "f1",
  typedValue: null,
};

const TABLE: readonly (readonly [string, Redemption, Verdict])[] = [
  ["a good redemption", GOOD, "spend"],
  ["a good one where the token says which tool", { ...GOOD, tool: null }, "spend"],
  ["a good preview request", { ...GOOD, request: { ...REQUEST, kind: "preview" } }, "spend"],
  ["a name typed where none is asked for", { ...GOOD, typedValue: "demo" }, "spend"],
  ["an unknown or foreign token", { ...GOOD, request: null }, "invalid"],
  ["a used token", { ...GOOD, request: { ...REQUEST, outcome: "spent" } }, "invalid"],
  ["a cancelled token", { ...GOOD, request: { ...REQUEST, outcome: "cancelled" } }, "invalid"],
  ["a token of another tool", { ...GOOD, tool: "amof_discard_workspace" }, "invalid"],
  ["a token at the moment it expires", { ...GOOD, now: 1000 }, "expired"],
  ["a token long expired", { ...GOOD, now: 10_000 }, "expired"],
  ["a request that waits for a person", { ...GOOD, request: PARKED }, "pending"],
  [
    "one that waits for a person who types, with the name from somebody else",
    { ...GOOD, request: { ...TYPE, approval: "pending" }, typedValue: "demo" },
    "pending",
  ],
  ["one that waits for too long", { ...GOOD, request: PARKED, now: 1000 }, "expired"],
  [
    "one that waits for what is no longer so",
    { ...GOOD, request: PARKED, fingerprint: "f2" },
    "stale",
  ],
  ["an approved request", { ...GOOD, request: { ...REQUEST, approval: "approved" } }, "spend"],
  [
    "an approved one that was spent",
    { ...GOOD, request: { ...REQUEST, approval: "approved", outcome: "accepted" } },
    "invalid",
  ],
  [
    "an approved one in another state",
    { ...GOOD, request: { ...REQUEST, approval: "approved" }, fingerprint: "f2" },
    "stale",
  ],
  ["an approved one too late", {
    ...GOOD,
    request: { ...REQUEST, approval: "approved" },
    now: 1000,
  }, "expired"],
  [
    "an approved one whose name a person typed in a terminal",
    { ...GOOD, request: { ...TYPE, approval: "approved" } },
    "spend",
  ],
  [
    "a declined request",
    { ...GOOD, request: { ...REQUEST, approval: "declined", outcome: "declined" } },
    "declined",
  ],
  ["another state", { ...GOOD, fingerprint: "f2" }, "stale"],
  ["the right name", { ...GOOD, request: TYPE, typedValue: "demo" }, "spend"],
  ["the wrong name", { ...GOOD, request: TYPE, typedValue: "dem" }, "type_failed"],
  ["the name in another case", { ...GOOD, request: TYPE, typedValue: "Demo" }, "type_failed"],
  ["the name with a blank", { ...GOOD, request: TYPE, typedValue: "demo " }, "type_failed"],
  ["no name", { ...GOOD, request: TYPE, typedValue: null }, "type_failed"],
  [
    "no name for a request that knows none",
    { ...GOOD, request: { ...TYPE, typedValue: null } },
    "type_failed",
  ],
  // What a caller learns first when several things are wrong.
  ["a used token that also expired", {
    ...GOOD,
    now: 2000,
    request: { ...REQUEST, outcome: "spent" },
  }, "invalid"],
  ["another tool's token that also expired", { ...GOOD, now: 2000, tool: "x" }, "invalid"],
  [
    "the wrong name for another state",
    { ...GOOD, request: TYPE, typedValue: "x", fingerprint: "f2" },
    "stale",
  ],
];

for (const [what, redemption, verdict] of TABLE) {
  Deno.test(`judge() answers ${verdict} to ${what}`, () =>
    assertEquals(judge(redemption), verdict));
}
