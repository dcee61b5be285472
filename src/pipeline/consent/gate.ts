/** The one gate between a preview and its execution: who consented, how, and to what (CONFIRM-5). */

import { AmofError } from "../../base/error.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { isSame, judge, MOST_WRONG_TRIES, type Verdict } from "../../base/policy/consent.ts";
import { type Confirmation, hashToken } from "../../state/store/mod.ts";
import { type Approval, type Approver, requestFor, type Rounds, typedFor } from "./approver.ts";
import type { CommonArguments } from "../common.ts";
import { type Consent, declined, type GateCall, invalid, needed, wrongName } from "./words.ts";
import { approvalInRounds, consentInRounds, refuseSpent } from "./rounds.ts";
import { callPhrase, type Keeping, pending, refuse, stale } from "./requests.ts";

/** What whoever spends a token says. */
export interface Redeeming {
  readonly tokenHash: string;
  /** The token itself, where the caller named it. */
  readonly token: string | null;
  readonly typedValue: string | null;
  /** The tool that was called with the token; null when the token alone says which. */
  readonly tool: string | null;
}

/** Whether a call agrees to what it asks for: a name alone only where a name has to be typed. */
function consents({ command }: GateCall, common: CommonArguments): boolean {
  return command.confirm === "type" ? carriesConsent(common) : common.confirm === true;
}

/**
 * Whether a call brings a consent along. Nobody has seen the request that such a call is answered with, so repeating
 * the call must not settle it (CONFIRM-6).
 */
function carriesConsent(common: CommonArguments): boolean {
  return common.confirm === true || (common.confirm_name ?? null) !== null;
}

/** Whether nothing that the caller brings along agrees to a call: a person has to, in a form or with an approval. */
function takesPerson({ command, door }: GateCall): boolean {
  return command.byPerson === true && door !== "cli";
}

/** The refusal of a name that is missing or wrong, which counts the try. */
function wrongTry(
  { store: { confirmations } }: Keeping,
  call: GateCall,
  request: Confirmation,
  { typed, now, way, redeems }: {
    readonly typed: string | null;
    readonly now: number;
    readonly way?: Approval["way"] | undefined;
    readonly redeems?: boolean | undefined;
  },
): AmofError {
  // A call without a name does not count as a wrong try.
  const tries = typed === null
    ? request.wrongTries
    : confirmations.countWrongTry(request.tokenHash);
  if (tries >= MOST_WRONG_TRIES) confirmations.settle(request.tokenHash, "wrong_name", now);
  return wrongName(call, Math.max(0, MOST_WRONG_TRIES - tries), { way, redeems });
}

/** The gate over one store and clock. */
export class Gate {
  readonly #at: Keeping;

  constructor(at: Keeping) {
    this.#at = at;
  }

  /** The stored request behind a token; throws `confirmation_invalid`, and tells nothing about other tokens. */
  lookUp(tokenHash: string, owner: string): Confirmation {
    const request = this.#at.store.confirmations.find(tokenHash, owner);
    // A request that a person declined is settled, but its caller is told so instead of `confirmation_invalid`.
    const known = request?.outcome === null || request?.approval?.decision === "declined";
    if (request === null || !known) throw invalid();
    return request;
  }

  /**
   * The token a call redeems, if any: the one it names. With `confirm` or `confirm_name` alone it is the live request
   * of the same owner for exactly this call, made by a call that did not consent itself.
   */
  redeeming(call: GateCall, common: CommonArguments): Redeeming | null {
    const tool = call.command.name;
    const typedValue = common.confirm_name ?? null;
    // A token alone says which request is meant, not that anybody agrees to it.
    if (!consents(call, common)) return null;
    const { confirmation_token: token } = common;
    if (token !== undefined) return { tokenHash: hashToken(token), token, typedValue, tool };
    const live = this.#at.store.confirmations.live(call.owner, this.#at.system.clock.now());
    const match = live.find((request) =>
      request.tool === tool && isSame(request.fingerprint, call.fingerprint) && !request.tokenOnly
    );
    return match === undefined
      ? null
      : { tokenHash: match.tokenHash, token: null, typedValue, tool };
  }

  #judge(call: GateCall, redeeming: Redeeming, request: Confirmation | null, now: number): Verdict {
    return judge({
      request: request === null
        ? null
        : { ...request, approval: request.approval?.decision ?? null },
      now,
      tool: redeeming.tool,
      fingerprint: call.fingerprint,
      typedValue: redeeming.typedValue,
    });
  }

  /**
   * Settles a request by its token, or throws why not. Where the host shows forms a token only says which request is
   * meant, because the person may never have seen its preview; what they answer counts.
   */
  async settle(call: GateCall, redeeming: Redeeming, approver: Approver): Promise<Consent> {
    const { confirmations } = this.#at.store;
    const now = this.#at.system.clock.now();
    const request = confirmations.find(redeeming.tokenHash, call.owner);
    // A token named in a terminal counts as the person's own consent.
    const settled = request === null || request.approval !== null;
    if (settled || call.door === "cli" || (approver.unable === true && !takesPerson(call))) {
      return this.redeem(call, redeeming);
    }
    const meant = { ...redeeming, typedValue: request.typedValue };
    if (this.#judge(call, meant, request, now) !== "spend") return this.redeem(call, redeeming);
    if (approver.rounds?.forms === true) {
      const consent = this.#inRounds(call, approver.rounds);
      this.redeem(call, meant);
      return consent;
    }
    const { decision, way, unattended } = await approver.ask(
      requestFor(call.command, call.preview, {
        ecosystem: call.ecosystem,
        typed: request.typedValue,
        signal: call.signal,
      }),
    );
    if (unattended === true) throw this.#leftToPerson(call, "unattended");
    if (decision === "unsupported") {
      if (takesPerson(call)) throw this.#leftToPerson(call);
      return this.redeem(call, redeeming);
    }
    if (decision === "accepted") return { ...this.redeem(call, meant), way, waited: true };
    if (decision === "wrong_name") {
      throw wrongTry(this.#at, call, request, { typed: "", now, way });
    }
    if (decision === "declined" || decision === "cancelled") {
      confirmations.settle(redeeming.tokenHash, decision, this.#at.system.clock.now());
    }
    throw declined(callPhrase(call), { decision, way }, call);
  }

  /** The refusal of a call that only a person at a terminal or in a page can approve. */
  #leftToPerson(
    call: GateCall,
    why: "human" | "human_alone" | "unattended" = call.confirmBy === "human"
      ? "human"
      : "human_alone",
  ): AmofError {
    const refusal = refuse(this.#at, { ...call, confirmBy: "human" }, {
      code: "confirmation_required",
      message: needed(
        call,
        call.command.confirm === "none" ? "simple" : call.command.confirm,
        why,
      ),
      details: { decision: "requested", way: "human" },
    });
    if (why !== "unattended") return refusal;
    const { code, message, hint, details } = refusal;
    const way = "Where nobody sees forms, the server is started so: amof mcp serve --confirm human";
    return new AmofError(code, message, { hint: `${hint}\n${way}`, details });
  }

  /**
   * Spends a token, or throws why not. On return the token is spent: nobody can use it again, even if
   * the action fails.
   */
  redeem(asked: GateCall, redeeming: Redeeming): Consent {
    const { confirmations } = this.#at.store;
    const now = this.#at.system.clock.now();
    const request = confirmations.find(redeeming.tokenHash, asked.owner);
    // What waited for a person is asked of a person again.
    const call: GateCall = (request?.approval ?? null) === null
      ? asked
      : { ...asked, confirmBy: "human" };
    const verdict = this.#judge(call, redeeming, request, now);
    if (request === null) throw invalid();
    switch (verdict) {
      case "invalid":
        throw invalid();
      case "declined":
        throw declined(callPhrase(call), { decision: "declined", way: "human" });
      case "pending":
        throw pending(call, request, redeeming.token);
      case "expired":
        confirmations.settle(redeeming.tokenHash, "expired", now);
        throw refuse(this.#at, call, {
          code: "confirmation_expired",
          message: request.approval?.decision === "pending"
            ? "Nobody approved it in time; nothing was changed"
            : "The confirmation came too late; nothing was changed",
          details: { decision: "timed_out", way: request.approval === null ? "token" : "human" },
        });
      case "stale": {
        if (
          canonicalJson(request.args) !== canonicalJson(call.input) ||
          request.ecosystem !== call.ecosystem || request.ticket !== call.ticket
        ) {
          // The token was made for another call: it says nothing about this one and stays alive.
          throw invalid();
        }
        confirmations.settle(redeeming.tokenHash, "stale", now);
        throw stale(this.#at, call, request.preview);
      }
      case "type_failed":
        throw wrongTry(this.#at, call, request, {
          typed: redeeming.typedValue,
          now,
          redeems: redeeming.tool === null,
        });
      case "spend":
        if (!confirmations.settle(redeeming.tokenHash, "accepted", now)) throw invalid();
        return { way: request.approval === null ? "token" : "human", waited: false };
    }
  }

  /** Asks in rounds; an answer that no person can have given leaves a request that waits for one. */
  #inRounds(call: GateCall, rounds: Rounds): Consent {
    return consentInRounds(this.#at, call, {
      rounds,
      leftToPerson: () => this.#leftToPerson(call, "unattended"),
    });
  }

  /** Refuses a call that was answered before, also where it finds nothing left to do. */
  refuseRepeated(call: GateCall, { rounds }: Approver): void {
    if (rounds !== undefined) refuseSpent(this.#at, call, rounds);
  }

  /** Throws the refusal, with a fresh request, when the preview a person agreed to no longer holds. */
  recheck(agreed: GateCall, now: GateCall): void {
    if (!isSame(agreed.fingerprint, now.fingerprint)) {
      throw stale(this.#at, now, agreed.preview.facts);
    }
  }

  /**
   * Asks a person through the door, or makes a request with a token. Throws every refusal. `common` is what
   * the call brought along.
   */
  async consent(call: GateCall, approver: Approver, common: CommonArguments): Promise<Consent> {
    if (call.command.confirm === "none") return { way: "none", waited: false };
    // A form's answer comes from the client; with `--confirm human` only a person at a terminal counts.
    const { rounds } = approver;
    if (call.confirmBy === "human" || (takesPerson(call) && rounds?.forms === false)) {
      if (rounds?.pages !== true || call.pages === null) throw this.#leftToPerson(call);
      return await approvalInRounds(this.#at, { ...call, pages: call.pages }, rounds);
    }
    if (rounds?.forms === true) return this.#inRounds(call, rounds);
    const typed = call.command.confirm === "type"
      ? typedFor(call.preview, call.ecosystem).value
      : null;
    const approval = await approver.ask(
      requestFor(call.command, call.preview, {
        ecosystem: call.ecosystem,
        typed,
        signal: call.signal,
      }),
    );
    const { decision, way } = approval;
    if (decision === "accepted") return { way, waited: way !== "flag" };
    if (approval.unattended === true) throw this.#leftToPerson(call, "unattended");
    if (decision === "unsupported" && takesPerson(call)) throw this.#leftToPerson(call);
    const named = common.confirm_name ?? null;
    const misnamed = decision === "unsupported"
      ? typed !== null && named !== null && named !== typed
      : decision === "wrong_name" && way === "flag";
    if (misnamed) {
      const { code, message } = wrongName(call, null);
      throw refuse(this.#at, call, {
        code,
        message,
        details: { decision: "wrong_name", way: "flag" },
      });
    }
    if (decision !== "unsupported") throw declined(callPhrase(call), { decision, way }, call);
    throw refuse(this.#at, call, {
      code: "confirmation_required",
      message: needed(
        call,
        call.command.confirm,
        carriesConsent(common) ? "token_only" : "token",
      ),
      details: { decision, way },
      tokenOnly: carriesConsent(common),
    });
  }
}
