/**
 * Asks a person with the answer of a call, which the client repeats with what they said (CONFIRM-18).
 *
 * Nothing waits meanwhile: the request is stored, and whichever process gets the repeated call settles it.
 *
 * @module
 */

import { AmofError } from "../../base/error.ts";
import { changeLines, factChanges } from "../../base/policy/changes.ts";
import { isSame } from "../../base/policy/same.ts";
import { MOST_LIVE_REQUESTS, TOKEN_LIFETIME_MS } from "../../base/policy/token.ts";
import { timestamp } from "../../base/system/mod.ts";
import { type Confirmation, hashToken } from "../../state/store/mod.ts";
import { type ApprovalRequest, requestFor, type Rounds, typedFor } from "./approver.ts";
import type { Consent, GateCall } from "./gate_call.ts";
import { callDeed, type Keeping, requestOf } from "./requests.ts";
import { MOST_ROUNDS } from "./sealed_state.ts";
import { declined, invalid } from "./words.ts";

/** The form in which the secret of a state is stored: no token has it, so that neither works as the other. */
function hashNonce(nonce: string): string {
  return hashToken(`requestState\0${nonce}`);
}

/** The request behind a question, as the person is asked it. */
function asked(call: GateCall): ApprovalRequest {
  const { command, preview, ecosystem, signal } = call;
  const typed = command.confirm === "type" ? typedFor(preview, ecosystem).value : null;
  return requestFor(command, preview, { ecosystem, typed, signal });
}

/** Ends a call whose answer is a question. */
function waiting(call: GateCall): AmofError {
  return new AmofError("confirmation_required", `A person is asked about the ${callDeed(call)}`, {
    details: { decision: "requested", way: "elicitation" },
  });
}

/** Puts a question and ends the call. */
function ask(
  { store, system }: Keeping,
  call: GateCall,
  rounds: Rounds,
  { round, changed }: { readonly round: number; readonly changed: readonly string[] },
): never {
  const now = system.clock.now();
  const nonce = system.ids.hex(32);
  const expiresAt = now + TOKEN_LIFETIME_MS;
  store.confirmations.add(
    requestOf(call, { tokenHash: hashNonce(nonce), now, expiresAt, tokenOnly: true }),
    MOST_LIVE_REQUESTS,
  );
  rounds.put({
    request: asked(call),
    changed,
    carried: {
      nonce,
      fingerprint: call.fingerprint,
      expiresAt,
      round,
      question: round === 1 ? "confirm" : `confirm_${round}`,
    },
  });
  throw waiting(call);
}

/** The refusal of what was settled before, which clients send again after they broke down. */
function spent({ settledAt, outcome }: Confirmation): AmofError {
  const when = settledAt === null ? "before" : timestamp(settledAt);
  return new AmofError(
    "confirmation_invalid",
    `Cannot use this answer again: it was settled ${when}; nothing was done now`,
    { details: { settled_at: when, settled_as: outcome, way: "elicitation" } },
  );
}

/** The refusal of an answer that does not lead to the deed; the next call asks anew. */
function refused(
  code: "confirmation_expired" | "confirmation_stale",
  message: string,
  details: object,
): AmofError {
  return new AmofError(code, message, {
    hint: "Make the call again to be asked again",
    details: { ...details, way: "elicitation" },
  });
}

/** Asks, or settles what was asked before. Throws whatever is no consent, a question among it. */
export function consentInRounds(at: Keeping, call: GateCall, rounds: Rounds): Consent {
  const { confirmations } = at.store;
  const { came } = rounds;
  if (came === null) return ask(at, call, rounds, { round: 1, changed: [] });
  const now = at.system.clock.now();
  const tokenHash = hashNonce(came.nonce);
  const request = confirmations.find(tokenHash, call.owner);
  if (request === null) throw invalid();
  if (request.outcome !== null) throw spent(request);
  if (now >= request.expiresAt) {
    confirmations.settle(tokenHash, "expired", now);
    throw refused(
      "confirmation_expired",
      "The answer came too late; nothing was changed",
      { decision: "timed_out" },
    );
  }
  const question = asked(call);
  const approval = rounds.answerTo(question);
  const isSameWorld = isSame(request.fingerprint, call.fingerprint);
  if (approval === null && isSameWorld) {
    rounds.put({ request: question, changed: [], carried: came });
    throw waiting(call);
  }
  const decision = approval?.decision ?? "accepted";
  const outcome = !isSameWorld && decision === "accepted" ? "stale" : decision;
  // Whoever comes second with the same state finds it settled, whatever either of them says.
  if (!confirmations.settle(tokenHash, outcome, now)) {
    throw spent(confirmations.find(tokenHash, call.owner) ?? request);
  }
  if (outcome === "stale") {
    const changes = factChanges(request.preview, call.preview.facts);
    if (came.round < MOST_ROUNDS) {
      return ask(at, call, rounds, { round: came.round + 1, changed: changeLines(changes) });
    }
    throw refused(
      "confirmation_stale",
      "Things changed each time that a person was asked; nothing was done",
      { ...changes },
    );
  }
  if (decision !== "accepted") {
    throw declined(callDeed(call), { decision, way: "elicitation" }, call);
  }
  return { way: "elicitation", waited: false };
}
