/** Seals plans, and opens them again where a shard runs (PLAN-2, PLAN-3). */

import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { isObject } from "../../base/object.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { isSignedBy, keyFingerprint, type PlanKey } from "./key.ts";
import { type Plan, type PlanContent, signedText } from "./plan.ts";

/** A plan as it travels. */
export interface SealedPlan {
  /** The content of its file. */
  readonly text: string;
  /** The hash that shards are told, hexadecimal. */
  readonly sha256: string;
  /** The fingerprint of the key, which shards are told as well. */
  readonly key: string;
}

/** Signs a plan. */
export function seal(content: PlanContent, key: PlanKey): SealedPlan {
  const unsigned = { ...content, key: key.publicKey };
  const plan: Plan = { ...unsigned, signature: key.sign(signedText(unsigned)) };
  const text = `${canonicalJson(plan)}\n`;
  return { text, sha256: sha256(text), key: keyFingerprint(key.publicKey) };
}

/** What a shard was told of its plan by whoever started it. */
interface Told {
  readonly sha256: string;
  readonly key: string;
  /** The version of the program that opens it. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

function refused(why: string): AmofError {
  return new AmofError("plan_refused", `Cannot carry the plan out: ${why}`, { details: { why } });
}

function isSame(a: string, b: string): boolean {
  const encoder = new TextEncoder();
  return timingSafeEqual(encoder.encode(a), encoder.encode(b));
}

/** Opens a plan. Throws `plan_refused` unless it is whole, of the installation that was told, and not over. */
export function open(text: string, told: Told): Plan {
  if (!isSame(sha256(text), told.sha256)) {
    throw refused("it is not the one this shard was started for");
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refused("it is no JSON");
  }
  if (!isObject(parsed) || parsed["v"] !== 1) {
    throw refused("it has a form this version does not know");
  }
  // Its hash is the one that was told, so that its form is what this program wrote.
  const plan = parsed as unknown as Plan;
  if (!isSame(keyFingerprint(plan.key), told.key)) {
    throw refused("another installation of amof has signed it");
  }
  if (!isSignedBy(plan.key, signedText(plan), plan.signature)) {
    throw refused("its signature is wrong");
  }
  if (plan.version !== told.version) {
    throw refused(`it was made by amof ${plan.version}, and this is ${told.version}`);
  }
  if (isOver(plan, told.now)) throw refused("the time in which it was agreed to is over");
  return plan;
}

/** Whether nothing of a plan may be begun any more. */
export function isOver({ not_after: end }: Pick<Plan, "not_after">, now: number): boolean {
  return !(now < Date.parse(end));
}
