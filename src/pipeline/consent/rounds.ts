/**
 * Asks a person with the answer of a call, which the client repeats with what they said (CONFIRM-18).
 *
 * Nothing waits meanwhile: the request is stored, and whichever process gets the repeated call settles it.
 */

import { AmofError } from "../../base/error.ts";
import { changeLines, factChanges } from "../../base/policy/changes.ts";
import { isSame, MOST_LIVE_REQUESTS, TOKEN_LIFETIME_MS } from "../../base/policy/consent.ts";
import { timestamp } from "../../base/system/mod.ts";
import { type Confirmation, hashToken } from "../../state/store/mod.ts";
import {
  type ApprovalRequest,
  type Carried,
  requestFor,
  type Rounds,
  typedFor,
} from "./approver.ts";
import { approvalPage, type Consent, declined, type GateCall, invalid } from "./words.ts";
import { callPhrase, type Keeping, leaveToPerson, pending, requestOf } from "./requests.ts";

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
  return new AmofError("confirmation_required", `A person is asked about the ${callPhrase(call)}`, {
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
    asks: { by: "form", request: asked(call) },
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
function spent(
  { store: { audit } }: Keeping,
  { settledAt, outcome, fingerprint }: Confirmation,
): AmofError {
  const when = settledAt === null ? "before" : timestamp(settledAt);
  const run = settledAt === null ? null : audit.runAgreed(fingerprint, settledAt);
  const led = run === null ? "" : `, which led to run ${run}`;
  return new AmofError(
    "confirmation_invalid",
    `Cannot use this answer again: it was settled ${when}${led}; nothing was done now`,
    {
      details: {
        settled_at: when,
        settled_as: outcome,
        way: "elicitation",
        ...(run === null ? {} : { led_to: run }),
      },
    },
  );
}

/** The refusal of an answer that does not lead to the work; the next call asks anew. */
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

/** The live request that came back; throws for one that is unknown, settled or too old. */
function live(at: Keeping, call: GateCall, tokenHash: string): Confirmation {
  const { confirmations } = at.store;
  const now = at.system.clock.now();
  const request = confirmations.find(tokenHash, call.owner);
  if (request === null) throw invalid();
  if (request.approval?.decision === "declined") {
    throw declined(callPhrase(call), { decision: "declined", way: "human" });
  }
  if (request.outcome !== null) throw spent(at, request);
  if (now < request.expiresAt) return request;
  confirmations.settle(tokenHash, "expired", now);
  throw refused(
    "confirmation_expired",
    "The answer came too late; nothing was changed",
    { decision: "timed_out" },
  );
}

/** Throws where what came back with a call was settled before: whoever sends it again is told what it led to. */
export function refuseSpent(at: Keeping, call: GateCall, { came }: Rounds): void {
  if (came === null) return;
  const request = at.store.confirmations.find(hashNonce(came.nonce), call.owner);
  if (request !== null && request.outcome !== null) throw spent(at, request);
}

/** A person is asked so often at most because things changed. */
const MOST_ROUNDS = 3;

/** Asks by a form, or settles what was asked before. Throws whatever is no consent, a question among it. */
export function consentInRounds(
  at: Keeping,
  call: GateCall,
  { rounds, leftToPerson }: {
    readonly rounds: Rounds;
    /** The refusal, with a request that waits for a person, of an answer that the client gave by itself. */
    readonly leftToPerson: () => AmofError;
  },
): Consent {
  const { confirmations } = at.store;
  const { came } = rounds;
  if (came === null) return ask(at, call, rounds, { round: 1, changed: [] });
  const now = at.system.clock.now();
  const tokenHash = hashNonce(came.nonce);
  const request = live(at, call, tokenHash);
  const question = asked(call);
  const approval = rounds.answerTo(question, now - request.createdAt);
  const isSameWorld = isSame(request.fingerprint, call.fingerprint);
  if (approval === null && isSameWorld) {
    rounds.put({ asks: { by: "form", request: question }, changed: [], carried: came });
    throw waiting(call);
  }
  const decision = approval?.decision ?? "accepted";
  const outcome = !isSameWorld && decision === "accepted" ? "stale" : decision;
  // Whoever comes second with the same state finds it settled, whatever either of them says.
  if (!confirmations.settle(tokenHash, outcome, now)) {
    throw spent(at, confirmations.find(tokenHash, call.owner) ?? request);
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
  if (approval?.unattended === true) throw leftToPerson();
  if (decision !== "accepted") {
    throw declined(callPhrase(call), { decision, way: "elicitation" }, call);
  }
  return { way: "elicitation", waited: false };
}

/** For so long a call waits for a person who has been sent to a page, and so often it looks. */
const PATIENCE_MS = 20_000;
const LOOK_MS = 500;

/** Puts the page of a request, which waits there for a person. */
function show(
  call: GateCall,
  rounds: Rounds,
  { pages, id, carried }: {
    readonly pages: string;
    readonly id: string;
    readonly carried: Carried;
  },
): never {
  rounds.put({
    asks: {
      by: "page",
      url: approvalPage(pages, id),
      message: `${call.preview.summary} Decide in the browser?`,
    },
    changed: [],
    carried,
  });
  throw waiting(call);
}

/**
 * Sends a person to the page in which they decide, or goes on once they have. That the client opened it decides nothing;
 * one that did not leaves the request waiting. Throws whatever is no consent.
 */
export async function approvalInRounds(
  at: Keeping,
  call: GateCall & { readonly pages: string },
  rounds: Rounds,
): Promise<Consent> {
  const { store: { confirmations }, system: { clock, ids } } = at;
  const { came } = rounds;
  const { pages } = call;
  const anew = (round: number): never => {
    const nonce = ids.hex(32);
    const { id, expiresAt } = leaveToPerson(at, call, hashNonce(nonce));
    const { fingerprint } = call;
    const carried = { nonce, fingerprint, expiresAt, round, question: `page_${round}` };
    return show(call, rounds, { pages, id, carried });
  };
  if (came === null) return anew(1);
  const tokenHash = hashNonce(came.nonce);
  const { signal } = call;
  const until = clock.now() + PATIENCE_MS;
  let request = live(at, call, tokenHash);
  const { approval } = request;
  if (approval === null) throw invalid();
  while (request.approval?.decision === "pending" && clock.now() < until && !signal.aborted) {
    if (rounds.opened() === false) throw pending(call, request, null);
    await clock.sleep(LOOK_MS, signal);
    request = live(at, call, tokenHash);
  }
  if (request.approval?.decision === "pending") {
    return show(call, rounds, { pages, id: approval.id, carried: came });
  }
  const stays = isSame(request.fingerprint, call.fingerprint);
  if (!confirmations.settle(tokenHash, stays ? "accepted" : "stale", clock.now())) {
    throw spent(at, confirmations.find(tokenHash, call.owner) ?? request);
  }
  if (stays) return { way: "human", waited: true };
  if (came.round < MOST_ROUNDS) return anew(came.round + 1);
  throw refused(
    "confirmation_stale",
    "Things changed each time that a person was asked; nothing was done",
    { ...factChanges(request.preview, call.preview.facts) },
  );
}
