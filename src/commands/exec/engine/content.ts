/** What every plan says besides what is done and where (PLAN-1). */

import type { ExecuteContext } from "../../../contract/mod.ts";
import {
  budgetsOf,
  type PlanAction,
  type PlanContent,
  type PlanItem,
  type Profile,
} from "../../../engine/mod.ts";
import { sha256 } from "../../../base/hash.ts";
import { canonicalJson } from "../../../base/policy/fingerprint.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { VERSION } from "../../../base/version.ts";

/** How long shards may wait for their turn before they are too late, in seconds. */
const PATIENCE_S = 7 * 24 * 3_600;

/** A plan that is made now. */
export function contentOf(
  ctx: ExecuteContext,
  { run, profile, facts, items, action }: {
    readonly run: string;
    readonly profile: Profile;
    /** What was confirmed. */
    readonly facts: object;
    readonly items: readonly PlanItem[];
    readonly action: PlanAction;
  },
): PlanContent {
  const now = ctx.system.clock.now();
  return {
    v: 1,
    run,
    created: timestamp(now),
    not_after: timestamp(now + (PATIENCE_S + profile.seconds) * 1_000),
    version: VERSION,
    by: ctx.client,
    door: ctx.door,
    fingerprint: sha256(canonicalJson(facts)),
    ecosystem: ctx.ecosystem,
    seconds: profile.seconds,
    budgets: budgetsOf(items, profile, ctx.settings).budgets,
    action,
    items,
  };
}
