/**
 * Plans: what a shard accepts, and what it does with anything else.
 *
 * @module
 */

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import {
  installationKey,
  open,
  type PlanContent,
  type PlanKey,
  seal,
  type SealedPlan,
} from "../../../src/engine/plan/plan.ts";
import { AmofError } from "../../../src/base/error.ts";
import { sha256 } from "../../../src/base/hash.ts";
import { layoutOf } from "../../../src/state/store/mod.ts";
import { realSystem } from "../../../src/base/system/real/mod.ts";
import { VERSION } from "../../../src/base/version.ts";
import { newDirectory } from "../../support/place.ts";

const NOW = Date.UTC(2026, 0, 2);
const RUN = "0b7f3c52-5a0e-4c7e-9f5e-3f0c6f4e8d11";

const CONTENT: PlanContent = {
  v: 1,
  run: RUN,
  created: "2026-01-02T00:00:00.000Z",
  not_after: "2026-01-03T00:00:00.000Z",
  version: VERSION,
  by: "tester",
  door: "cli",
  fingerprint: sha256("facts"),
  ecosystem: "demo",
  seconds: 60,
  budgets: [],
  action: { kind: "exec", argv: ["true"], timeLimit: null, variables: [], told: {} },
  items: [{ repo: "api", url: "file:///nowhere/api.git", branch: "main", commit: null }],
};

function keyOf(home: string): Promise<PlanKey> {
  const system = realSystem();
  const env = { ...system.env, get: (name: string) => name === "AMOF_HOME" ? home : undefined };
  return installationKey(system, layoutOf(env));
}

function refusal(plan: SealedPlan, change: Partial<Parameters<typeof open>[1]> = {}): string {
  const told = { sha256: plan.sha256, key: plan.key, version: VERSION, now: NOW, ...change };
  const error = assertThrows(() => open(plan.text, told), AmofError);
  assertEquals(error.code, "plan_refused");
  return error.message;
}

Deno.test("a plan is opened by whoever was told its hash and its key", async () => {
  const plan = seal(CONTENT, await keyOf(newDirectory()));
  const told = { sha256: plan.sha256, key: plan.key, version: VERSION, now: NOW };
  assertEquals(open(plan.text, told).items, CONTENT.items);
});

Deno.test("an installation has one key, which nobody else can read, also when two make it at once", async () => {
  const home = newDirectory();
  const keys = await Promise.all(Array.from({ length: 20 }, () => keyOf(home)));
  assertEquals(new Set(keys.map(({ publicKey }) => publicKey)).size, 1);
  const { mode } = await Deno.stat(join(home, "state", "engine.key"));
  if (Deno.build.os !== "windows") assertEquals((mode ?? 0) & 0o777, 0o600);
});

Deno.test("a shard refuses every plan that is not the one that was agreed to", async () => {
  const key = await keyOf(newDirectory());
  const plan = seal(CONTENT, key);
  const changed = plan.text.replace('"argv":["true"]', '"argv":["rm","-rf","/"]');
  assertStringIncludes(
    refusal({ ...plan, text: changed }),
    "not the one this shard was started for",
  );
  // Who can change the plan can change its hash as well, where both lie in one place.
  assertStringIncludes(
    refusal({ ...plan, text: changed, sha256: sha256(changed) }),
    "its signature is wrong",
  );
  const foreign = seal(CONTENT, await keyOf(newDirectory()));
  assertStringIncludes(refusal({ ...foreign, key: plan.key }), "another installation");
  assertStringIncludes(refusal(plan, { now: Date.UTC(2026, 0, 4) }), "is over");
  assertStringIncludes(refusal(plan, { version: "9.9.9" }), `made by amof ${VERSION}`);
  const never = seal({ ...CONTENT, not_after: "whenever" }, key);
  assertStringIncludes(refusal(never), "is over");
  for (const text of ["", "[]", '{"v":2}']) {
    refusal({ ...plan, text, sha256: sha256(text) });
  }
});
