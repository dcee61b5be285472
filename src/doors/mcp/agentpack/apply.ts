/** The token that ties `deploy_apply` to what `deploy` showed (PACK-47). */

import {
  bindingOf,
  checkAdoption,
  deploy,
  inspect,
  type PackContext,
  planHash,
  withWarnings,
} from "../../../apps/agentpack/mod.ts";
import type { TokenConsent } from "../../../pipeline/agentpack/call.ts";
import { sha256 } from "../../../base/hash.ts";
import { canonicalJson } from "../../../base/policy/fingerprint.ts";
import { isSame } from "../../../base/policy/same.ts";
import { type ConfirmTokens, tokenRefused } from "./tokens.ts";

/** Hands a token out for the plan that a deploy shows, as members of its answer. */
export async function issueToken(
  tokens: ConfirmTokens,
  { pack, selection }: PackContext,
  data: object,
): Promise<Readonly<Record<string, string>>> {
  const binding = await bindingOf(pack, selection);
  const hash = await planHash(pack, binding, data);
  const { token, expiresAt } = tokens.issue(sha256(canonicalJson(binding)), hash);
  return {
    confirm_token: token,
    confirm_plan_hash: hash,
    confirm_token_expires_at: expiresAt,
  };
}

/** A call with a token: the token itself, and whether files that are not ours may be overwritten. */
interface TokenCall {
  readonly tokens: ConfirmTokens;
  /** Empty when none was given. */
  readonly token: string;
  readonly adopt: boolean;
}

/**
 * The consent that a token is: to exactly the plan it was given for. Whatever refuses it leaves it good, so
 * that it works again once the world is again as it was shown; who carries the plan out spends it.
 */
export function tokenConsent(
  { tokens, token, adopt }: TokenCall,
  ask: TokenConsent["ask"],
): TokenConsent {
  /** Throws unless the token is good, and given for these facts where there are any yet. */
  const verify = async ({ pack, selection }: PackContext, facts: object | null): Promise<void> => {
    const binding = await bindingOf(pack, selection);
    const expected = tokens.check(token, sha256(canonicalJson(binding)));
    if (facts === null) return;
    const hash = await planHash(pack, binding, facts);
    if (isSame(hash, expected)) return;
    throw tokenRefused(
      "E_CONFIRM_TOKEN_MISMATCH",
      "The plan is not the one that was shown: a source or a deployed file changed since",
      { confirm_plan_hash: hash, expected_confirm_plan_hash: expected },
    );
  };
  return {
    kind: "token",
    fingerprint: tokens.planOf(token),
    ask,
    async check(place, ask) {
      // Before the lock is taken, because taking it creates a file.
      await verify(place, null);
      if (ask !== null) {
        // The person sees the plan after everything that would be refused anyway.
        const plan = await inspect(deploy, place, { apply: true, adopt });
        await verify(place, plan.data);
        if (!adopt) checkAdoption(plan.data.changes);
        await ask({
          id: "deploy --apply",
          summary: deploy.summary,
          preview: withWarnings(deploy.render(plan), plan.warnings),
          fingerprint: tokens.planOf(token),
        });
      }
      return (facts) => verify(place, facts);
    },
  };
}
