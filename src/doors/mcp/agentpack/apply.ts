/** The token that ties `deploy_apply` to what `deploy` showed (PACK-47). */

import {
  AgentpackError,
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
import { isSame } from "../../../base/policy/consent.ts";
import type { Clock, Ids } from "../../../base/system/mod.ts";

// The tokens that tie `deploy_apply` to what `deploy` showed (PACK-47). They live in memory only.

/** How long a token is good for at most. */
export const MAX_LIFETIME_MS = 10 * 60 * 1000;

/** How long an expired one is remembered, so that its holder is told so. */
const MEMORY_MS = 10 * 60 * 1000;

/** How many are remembered at most; the oldest goes first. */
const MOST = 1_000;

interface Issued {
  /** The hash of the inputs that selected the plan. */
  readonly binding: string;
  readonly planHash: string;
  readonly expiresAt: number;
}

interface HandedOut {
  readonly token: string;
  /** RFC 3339, UTC. */
  readonly expiresAt: string;
}

const HINTS = {
  E_CONFIRM_TOKEN_REQUIRED: "Call deploy, show its plan to the person, and pass its confirm_token",
  E_CONFIRM_TOKEN_EXPIRED: "Call deploy again: its confirm_token lives for ten minutes at most",
  E_CONFIRM_TOKEN_MISMATCH:
    "Call deploy again with the same arguments, show the plan, and use its confirm_token once",
} as const;

/** A refusal of a token. */
function tokenRefused(
  code: keyof typeof HINTS,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): AgentpackError {
  return new AgentpackError(code, message, { hint: HINTS[code], ...details });
}

/** The tokens of one server. */
export class ConfirmTokens {
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #lifetimeMs: number;
  /** By the hash of the token, so that looking one up tells nothing about others by the time it takes. */
  readonly #issued = new Map<string, Issued>();

  constructor(world: { readonly clock: Clock; readonly ids: Ids }, lifetimeMs = MAX_LIFETIME_MS) {
    this.#clock = world.clock;
    this.#ids = world.ids;
    this.#lifetimeMs = Math.min(Math.max(0, lifetimeMs), MAX_LIFETIME_MS);
  }

  /** Hands a token out for a plan. */
  issue(binding: string, planHash: string): HandedOut {
    const now = this.#clock.now();
    for (const [key, issued] of this.#issued) {
      if (now >= issued.expiresAt + MEMORY_MS) this.#issued.delete(key);
    }
    const [oldest] = this.#issued.keys();
    if (this.#issued.size >= MOST && oldest !== undefined) this.#issued.delete(oldest);
    const token = this.#ids.hex(64);
    const expiresAt = now + this.#lifetimeMs;
    this.#issued.set(sha256(token), { binding, planHash, expiresAt });
    return { token, expiresAt: new Date(expiresAt).toISOString() };
  }

  /**
   * The plan hash a token stands for, given what the call is bound to. Throws `E_CONFIRM_TOKEN_REQUIRED`,
   * `_EXPIRED` (the first time, then the token is forgotten) or `_MISMATCH`. Nothing is spent by it.
   */
  check(token: string, binding: string): string {
    if (token === "") {
      throw tokenRefused("E_CONFIRM_TOKEN_REQUIRED", "deploy_apply needs the token of a deploy");
    }
    const key = sha256(token);
    const issued = this.#issued.get(key);
    const now = this.#clock.now();
    if (issued === undefined || now >= issued.expiresAt + MEMORY_MS) {
      this.#issued.delete(key);
      throw tokenRefused("E_CONFIRM_TOKEN_MISMATCH", "The token is unknown, or was used already");
    }
    if (now >= issued.expiresAt) {
      this.#issued.delete(key);
      throw tokenRefused("E_CONFIRM_TOKEN_EXPIRED", "The token has expired");
    }
    if (!isSame(issued.binding, binding)) {
      throw tokenRefused("E_CONFIRM_TOKEN_MISMATCH", "The token was given for other arguments");
    }
    return issued.planHash;
  }

  /** The plan hash a token was given for, good or not any more; null for an unknown one. */
  planOf(token: string): string | null {
    return this.#issued.get(sha256(token))?.planHash ?? null;
  }

  /** Spends a token: it is unknown from now on. */
  spend(token: string): void {
    this.#issued.delete(sha256(token));
  }
}

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
