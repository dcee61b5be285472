/**
 * Shows forms to the person behind a client without a session: they go out with the answer of a call, and what was said
 * comes back with the call again. What was asked is bound to this process, as the tokens are (PACK-47).
 */

import { sha256 } from "../../../base/hash.ts";
import { fieldsOf } from "../../../base/object.ts";
import { canonicalJson } from "../../../base/policy/fingerprint.ts";
import type { Clock, Ids } from "../../../base/system/mod.ts";
import { isFor, seal, type State, unseal } from "../../../pipeline/consent/approver.ts";
import { type ElicitForm, type SendForm, showsForms } from "../elicit.ts";
import { type Exchange, type InputRequired, invalidParams } from "../features.ts";
import type { CallToolRequest } from "../sdk.ts";

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
