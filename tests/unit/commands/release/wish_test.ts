// Covers what a step on the ladder comes to, and how a release that gates stand in the way of is refused.

import { assertEquals, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import type { CommandContext } from "../../../../src/contract/mod.ts";
import { parseVersion, type Step } from "../../../../src/commands/release/ladder.ts";
import { blocked, stepWish } from "../../../../src/commands/release/make_release.ts";
import type { ReleaseState } from "../../../../src/commands/release/state.ts";

/** Asked only where there is no release yet. */
const CONTEXT = {} as CommandContext;
const OPTIONS = { message: null, push: true, strict: false } as never;

/** A repository whose newest version is this one. */
function at(version: string): ReleaseState {
  return { current: { version: parseVersion(version) }, name: "shop" } as unknown as ReleaseState;
}

const bump = (
  part: "patch" | "minor" | "major",
  stage: "alpha" | "beta" | "rc" | null = null,
): Step => ({
  kind: "bump",
  part,
  stage,
});

/** Where it stands, the step, the next version, and whether that may hold nothing new. */
const STEPS: readonly (readonly [string, Step, string, boolean])[] = [
  ["1.0.0", bump("patch"), "1.0.1", false],
  ["1.0.0", bump("minor", "alpha"), "1.1.0-alpha.1", false],
  ["1.1.0-alpha.1", bump("patch", "alpha"), "1.1.0-alpha.2", false],
  ["1.1.0-alpha.2", { kind: "promote", target: "beta" }, "1.1.0-beta.1", true],
  ["1.1.0-rc.1", { kind: "promote", target: "stable" }, "1.1.0", true],
];

for (const [from, step, next, mayBeEmpty] of STEPS) {
  Deno.test(`stepWish() from ${from} to ${next}`, async () => {
    const order = await stepWish(step, OPTIONS, []).order(CONTEXT, at(from));
    assertEquals(order.next, parseVersion(next));
    assertEquals([order.action, order.mayBeEmpty], [step.kind, mayBeEmpty]);
    assertEquals(order.part, step.kind === "bump" ? step.part : null);
  });
}

Deno.test("stepWish() refuses a step that leads down", async () => {
  const wish = stepWish({ kind: "promote", target: "beta" }, OPTIONS, []);
  const error = await assertRejects(
    async () => await wish.order(CONTEXT, at("1.1.0-rc.1")),
    AmofError,
  );
  assertEquals(error.code, "invalid_transition");
});

Deno.test("blocked() tells the first error in a sentence, how many more there are, and what to do", () => {
  const finding = (message: string, fix: string | null = null) => ({ gate: "gate", message, fix });
  const table: readonly (readonly [readonly ReturnType<typeof finding>[], string, string])[] = [
    [[], "Cannot release v1: unknown", "See all problems: amof release validate"],
    [
      [finding("The work tree is dirty", "Commit: amof commit")],
      "Cannot release v1: the work tree is dirty",
      "Commit: amof commit",
    ],
    [
      [finding("CHANGELOG.md has no entry"), finding("More")],
      "Cannot release v1: CHANGELOG.md has no entry (and 1 more)",
      "See all problems: amof release validate",
    ],
  ];
  for (const [errors, message, hint] of table) {
    const error = blocked("v1", { errors, warnings: [] } as never);
    assertEquals([error.code, error.message, error.hint], ["release_blocked", message, hint]);
  }
});
