// For any plan: the order of a review loses nothing, and its directories hold every change once.

import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import type { Change } from "../../src/apps/agentpack/engine/plan.ts";
import { REVIEW_KINDS, reviewKind, reviewPlan } from "../../src/apps/agentpack/engine/review.ts";
import { isBelow } from "../../src/base/paths.ts";

const NAME = fc.constantFrom("a", "b", "c", "deep");
const CHANGE: fc.Arbitrary<Change> = fc.record({
  target: fc.constantFrom("codex" as const, "zed" as const),
  op: fc.constantFrom("create" as const, "update" as const, "delete" as const),
  path: fc.array(NAME, { minLength: 1, maxLength: 6 }).map((names) => `/${names.join("/")}`),
  adopt: fc.boolean(),
  edited: fc.boolean(),
}).map(({ target, op, path, adopt, edited }) => ({
  target,
  op,
  path,
  path_posix: path,
  before_sha256: null,
  after_sha256: null,
  reason: "",
  ...(op === "update" ? { update_kind: adopt ? "adopt_update" : "managed_update" } : {}),
  ...(edited ? { locally_modified: true } : {}),
} as Change));

Deno.test("reviewPlan() tells of every change once, whatever the plan and whatever of it is shown", () => {
  fc.assert(
    fc.property(
      fc.array(CHANGE, { maxLength: 60 }),
      fc.integer({ min: 2, max: 9 }),
      fc.nat(60),
      fc.nat(60),
      (plan, most, from, size) => {
        const { ordered, counts, without } = reviewPlan(plan, most);
        assertEquals(new Set(ordered), new Set(plan));
        assertEquals(ordered.length, plan.length);
        const ranks = ordered.map((change) => REVIEW_KINDS.indexOf(reviewKind(change)));
        assertEquals(ranks, [...ranks].sort((a, b) => a - b));
        for (const shown of [[], ordered.slice(from, from + size)]) {
          const hidden = plan.filter((change) => !shown.includes(change));
          const directories = without(shown);
          assert(directories.length <= most, String(directories.length));
          for (const kind of REVIEW_KINDS) {
            const summed = directories.reduce((sum, one) => sum + (one[kind] ?? 0), 0);
            assertEquals(summed, hidden.filter((change) => reviewKind(change) === kind).length);
            if (shown.length === 0) assertEquals(summed, counts[kind] ?? 0);
          }
          for (const { target, path } of hidden) {
            assert(
              directories.some((one) => one.target === target && isBelow(one.directory, path)),
            );
          }
        }
      },
    ),
  );
});
