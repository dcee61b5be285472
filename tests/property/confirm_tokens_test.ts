// Laws of the tokens of deploy_apply: good for one plan and one binding, once, while they live.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { AgentpackError } from "../../src/apps/agentpack/error.ts";
import { ConfirmTokens, MAX_LIFETIME_MS } from "../../src/doors/agentpack/mcp/consent.ts";

interface Model {
  readonly token: string;
  readonly binding: string;
  readonly plan: string;
  readonly issuedAt: number;
  state: "good" | "gone";
}

function outcome(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return error instanceof AgentpackError ? error.code : String(error);
  }
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant("issue" as const),
    binding: fc.constantFrom("a", "b"),
    plan: fc.string(),
  }),
  fc.record({
    kind: fc.constant("use" as const),
    which: fc.nat(9),
    binding: fc.constantFrom("a", "b"),
    spend: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(700_000) }),
);

Deno.test("a token is good for its own binding and plan, until it is spent or expires", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat(900_000), (steps, lifetime) => {
      let now = 1_000_000;
      let ids = 0;
      const tokens = new ConfirmTokens({
        clock: { now: () => now, sleep: () => Promise.resolve() },
        ids: { uuid: () => "", hex: (digits) => (++ids).toString(16).padStart(digits, "0") },
      }, lifetime);
      const lives = Math.min(lifetime, MAX_LIFETIME_MS);
      const issued: Model[] = [];
      for (const one of steps) {
        if (one.kind === "wait") now += one.ms;
        else if (one.kind === "issue") {
          const { token, expiresAt } = tokens.issue(one.binding, one.plan);
          assertEquals(token.length, 64);
          assertEquals(Date.parse(expiresAt), now + lives);
          issued.push({
            token,
            binding: one.binding,
            plan: one.plan,
            issuedAt: now,
            state: "good",
          });
        } else {
          const model = issued[one.which];
          if (model === undefined) {
            assertEquals(
              outcome(() => tokens.check("unknown", one.binding)),
              "E_CONFIRM_TOKEN_MISMATCH",
            );
            continue;
          }
          const age = now - model.issuedAt;
          const expected = model.state === "gone" || age >= lives + MAX_LIFETIME_MS
            ? "E_CONFIRM_TOKEN_MISMATCH"
            : age >= lives
            ? "E_CONFIRM_TOKEN_EXPIRED"
            : model.binding !== one.binding
            ? "E_CONFIRM_TOKEN_MISMATCH"
            : model.plan;
          assertEquals(outcome(() => tokens.check(model.token, one.binding)), expected);
          // The first look at an expired one is the last.
          if (expected === "E_CONFIRM_TOKEN_EXPIRED") model.state = "gone";
          if (expected === model.plan && one.spend) {
            tokens.spend(model.token);
            model.state = "gone";
          }
        }
      }
      assertEquals(outcome(() => tokens.check("", "a")), "E_CONFIRM_TOKEN_REQUIRED");
    }),
  );
});

Deno.test("at most a thousand tokens are remembered, the oldest goes first", () => {
  let ids = 0;
  const tokens = new ConfirmTokens({
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    ids: { uuid: () => "", hex: (digits) => (++ids).toString(16).padStart(digits, "0") },
  });
  const all = Array.from({ length: 1_001 }, () => tokens.issue("a", "plan").token);
  assertEquals(outcome(() => tokens.check(all[0] ?? "", "a")), "E_CONFIRM_TOKEN_MISMATCH");
  assertEquals(outcome(() => tokens.check(all[1] ?? "", "a")), "plan");
});
