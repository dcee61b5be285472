/**
 * `deploy_apply`: carries out exactly the plan that a token was handed out for (PACK-47).
 *
 * @module
 */

import { sha256 } from "../../hash.ts";
import type { Slots } from "../../async/slots.ts";
import {
  type Host,
  type Question,
  readingPack,
  writingPack,
} from "../../command/agentpack/carry_out.ts";
import {
  type Answer,
  bindingOf,
  carryOut,
  checkAdoption,
  deployCommand as deploy,
  type DeployData,
  type Deployment,
  deployPlan,
  homeOf,
  type Pack,
  planHash,
  type Selection,
  shownDeployment,
  withHomeLock,
} from "../../agentpack/mod.ts";
import { isSame } from "../../policy/same.ts";
import { canonicalJson } from "../../policy/fingerprint.ts";
import { type ConfirmTokens, tokenRefused } from "./tokens.ts";

/** What an apply needs. */
export interface ApplyCall {
  readonly host: Host;
  readonly selection: Selection;
  readonly adopt: boolean;
  /** Empty when none was given. */
  readonly token: string;
  readonly tokens: ConfirmTokens;
  readonly signal: AbortSignal;
  /** Lets a person see the plan first, and throws unless they agree; null where nobody has to. */
  readonly review: ((question: Question) => Promise<void>) | null;
}

/** The hash of what a call is bound to. */
export async function bindingHash(pack: Pack, selection: Selection): Promise<string> {
  return sha256(canonicalJson(await bindingOf(pack, selection)));
}

/** The plan of today if it is the one the token was given for. */
async function reviewedPlan(pack: Pack, call: ApplyCall): Promise<Deployment> {
  const expected = call.tokens.check(call.token, await bindingHash(pack, call.selection));
  const { deployment } = await deployPlan(pack, call.selection);
  const hash = planHash(deployment);
  if (!isSame(hash, expected)) {
    throw tokenRefused(
      "E_CONFIRM_TOKEN_MISMATCH",
      "The plan is not the one that was shown: a source or a deployed file changed since",
      { confirm_plan_hash: hash, expected_confirm_plan_hash: expected },
    );
  }
  return deployment;
}

/** Shows the plan to a person, after everything that would be refused anyway. */
async function review(call: ApplyCall, ask: (question: Question) => Promise<void>): Promise<void> {
  const deployment = await reviewedPlan(readingPack(call.host, call.signal), call);
  if (!call.adopt) checkAdoption(deployment.plan);
  await ask({
    id: "deploy --apply",
    summary: deploy.summary,
    preview: await shownDeployment(deployment),
    fingerprint: planHash(deployment),
  });
}

/**
 * Applies a reviewed plan. Whatever refuses it leaves the token good, so that it works again once the world
 * is again as it was shown; only success spends it.
 */
export async function applyReviewed(
  call: ApplyCall,
  turns: Slots,
): Promise<Answer<DeployData>> {
  // The person is asked before taking a turn, so that other calls do not wait; the plan is compared again below.
  if (call.review !== null) await review(call, call.review);
  return await turns.turn(async () => {
    const pack = writingPack(call.host, call.signal);
    const reading = readingPack(call.host, call.signal);
    // The token is checked before the lock is taken, because taking the lock creates a file.
    call.tokens.check(call.token, await bindingHash(reading, call.selection));
    const { env } = call.host.system;
    return await withHomeLock(pack.system, homeOf(env, call.selection.repo), async (held) => {
      const deployment = await reviewedPlan(pack, call);
      const answer = await carryOut(held, deployment, { adopt: call.adopt });
      call.tokens.spend(call.token);
      return answer;
    });
  });
}
