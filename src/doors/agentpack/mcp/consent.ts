/** How a person consents to what `deploy_apply` does: a token of `deploy`, or a form (PACK-47). */

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
import type { TokenConsent } from "../call.ts";
import { sha256 } from "../../../base/hash.ts";
import { canonicalJson } from "../../../base/policy/fingerprint.ts";
import { isSame } from "../../../base/policy/consent.ts";
import type { Clock, Ids } from "../../../base/system/mod.ts";
import { fieldsOf } from "../../../base/object.ts";
import { isFor, seal, type State, unseal } from "../../../pipeline/consent/approver.ts";
import { type ElicitForm, type SendForm, showsForms } from "../../mcp/elicit.ts";
import { type Exchange, type InputRequired, invalidParams } from "../../mcp/features.ts";
import type { CallToolRequest } from "../../mcp/sdk.ts";

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

// Shows forms to the person behind a client without a session: they go out with the answer of a call, and what was said
// comes back with the call again. What was asked is bound to this process, as the tokens are (PACK-47).

/** For so long an answer counts. */
const LIFETIME_MS = 5 * 60 * 1000;
const QUESTION = "confirm";

/** A call whose form goes out with its answer. */
interface Asking {
  /** What the call shows its form by; null where the client declares none. */
  readonly elicit: SendForm | null;
  /** What the answer asks, once a form was to be shown; null for none. */
  question(): InputRequired | null;
}

/** The forms of one server. */
export class ReturningForms {
  readonly #world: { readonly clock: Clock; readonly ids: Ids };
  readonly #key: string;
  /** The secrets of answers that were taken, each until it would be too old anyway. */
  readonly #spent = new Map<string, number>();

  constructor(world: { readonly clock: Clock; readonly ids: Ids }) {
    this.#world = world;
    this.#key = world.ids.hex(64);
  }

  /** Takes what came with a call. Throws −32602 for a state that is not this call's. */
  of(params: CallToolRequest["params"], { returning }: Exchange): Asking {
    if (returning === null) return { elicit: null, question: () => null };
    const { capabilities, inputResponses, requestState } = returning;
    const call = {
      tool: params.name,
      args: sha256(canonicalJson(params.arguments ?? {})),
      principal: "",
    };
    const state = requestState === null ? null : unseal(this.#key, requestState);
    if (requestState !== null && (state === null || !isFor(state, call))) {
      throw invalidParams("requestState is not valid for this request");
    }
    if (!showsForms(capabilities["elicitation"])) return { elicit: null, question: () => null };
    const said = inputResponses?.[QUESTION];
    let put: ElicitForm | null = null;
    return {
      elicit: (form) => {
        const answered = said !== undefined && state !== null && this.#spend(state, form);
        if (!answered) {
          put = form;
          return Promise.resolve({ failed: "unsupported" });
        }
        const afterMs = this.#world.clock.now() - state.expiresAt + LIFETIME_MS;
        return Promise.resolve({ ...fieldsOf(said), action: said["action"], afterMs });
      },
      question: () => put === null ? null : this.#ask(put, call),
    };
  }

  /** Whether a state stands for an answer to this very form that has not been taken. */
  #spend({ nonce, fingerprint, expiresAt }: State, form: ElicitForm): boolean {
    const now = this.#world.clock.now();
    for (const [old, until] of this.#spent) if (until <= now) this.#spent.delete(old);
    const isGood = now < expiresAt && !this.#spent.has(nonce) &&
      fingerprint === sha256(form.message);
    if (isGood) this.#spent.set(nonce, expiresAt);
    return isGood;
  }

  #ask(form: ElicitForm, call: Pick<State, "tool" | "args" | "principal">): InputRequired {
    const { clock, ids } = this.#world;
    const params = { mode: "form", ...form };
    return {
      resultType: "input_required",
      inputRequests: { [QUESTION]: { method: "elicitation/create", params } },
      requestState: seal(this.#key, {
        ...call,
        nonce: ids.hex(32),
        fingerprint: sha256(form.message),
        expiresAt: clock.now() + LIFETIME_MS,
        round: 1,
        question: QUESTION,
      }),
    };
  }
}
