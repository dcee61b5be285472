/** The requests for a consent: how one is made and stored, and the refusals that carry it. */

import type { Fields } from "../../base/object.ts";
import { AmofError, type ErrorCode } from "../../base/error.ts";
import { factChanges } from "../../base/policy/changes.ts";
import {
  APPROVAL_LIFETIME_MS,
  MOST_LIVE_REQUESTS,
  MOST_WRONG_TRIES,
  TOKEN_LIFETIME_MS,
} from "../../base/policy/token.ts";
import {
  type Confirmation,
  hashToken,
  type NewConfirmation,
  type Store,
} from "../../state/store/mod.ts";
import { type System, timestamp } from "../../base/system/mod.ts";
import { type Approval, capital, spokenDeed, typedFor } from "./approver.ts";
import { type GateCall, shownRequest } from "./gate_call.ts";
import type { Waits } from "./notify.ts";
import { hintFor, whereToDecide, wrongName } from "./words.ts";

/** What a call asks for, in a sentence: "push of shop". */
export function callDeed(call: GateCall): string {
  return spokenDeed(call.command, call.preview, call.ecosystem, true);
}

/** Nobody has decided yet: the same token can ask again. */
export function pending(call: GateCall, request: Confirmation, token: string | null): AmofError {
  const id = request.approval?.id ?? "";
  return new AmofError(
    "approval_pending",
    `${capital(callDeed(call))} still waits for a person; nothing has been changed yet`,
    {
      hint: `${whereToDecide(id, call.pages)}\nThen ask again`,
      details: {
        approval_id: id,
        expires_at: timestamp(request.expiresAt),
        way: "human",
        ...(token === null ? {} : {
          confirmation: shownRequest(call, {
            kind: request.kind,
            token,
            expiresAt: request.expiresAt,
            approvalId: id,
          }),
        }),
      },
    },
  );
}

/** Where requests are kept, and what clock they go by. */
export interface Keeping {
  readonly store: Store;
  readonly system: System;
  /** Told of a request that waits for a person now. */
  readonly waits?: (request: Waits) => void;
}

/** The refusal, with a fresh request, of a call whose preview is no longer what a person agreed to. */
export function stale(at: Keeping, call: GateCall, reviewed: unknown): AmofError {
  return refuse(at, call, {
    code: "confirmation_stale",
    message: "Things changed since the preview; nothing was done",
    details: { ...factChanges(reviewed, call.preview.facts) },
  });
}

/** The refusal of a name that is missing or wrong, which counts the try. */
export function wrongTry(
  { store: { confirmations } }: Keeping,
  call: GateCall,
  request: Confirmation,
  { typed, now, way = "token" }: {
    readonly typed: string | null;
    readonly now: number;
    readonly way?: Approval["way"] | "token" | undefined;
  },
): AmofError {
  // A call without a name does not count as a wrong try.
  const tries = typed === null
    ? request.wrongTries
    : confirmations.countWrongTry(request.tokenHash);
  if (tries >= MOST_WRONG_TRIES) confirmations.settle(request.tokenHash, "wrong_name", now);
  return wrongName(call, Math.max(0, MOST_WRONG_TRIES - tries), way);
}

/** A request to store for a call. */
export function requestOf(
  call: GateCall,
  { tokenHash, now, expiresAt, tokenOnly }: {
    readonly tokenHash: string;
    readonly now: number;
    readonly expiresAt: number;
    readonly tokenOnly: boolean;
  },
): NewConfirmation {
  const kind = kindOf(call);
  return {
    tokenHash,
    owner: call.owner,
    tool: call.command.name,
    args: call.input,
    ecosystem: call.ecosystem,
    ticket: call.ticket,
    kind,
    typedValue: kind === "type" ? typedFor(call.preview, call.ecosystem).value : null,
    fingerprint: call.fingerprint,
    preview: call.preview.facts,
    createdAt: now,
    expiresAt,
    tokenOnly,
    timeout: call.timeout,
  };
}

/** What a person has to do: a command that asks nobody is confirmed like a simple one where it has to be. */
function kindOf({ command: { confirm } }: GateCall): Confirmation["kind"] {
  return confirm === "none" ? "simple" : confirm;
}

/** Stores a request that waits for a person, and tells them; answers its id and until when it does. */
export function leaveToPerson(
  { store, system, waits }: Keeping,
  call: GateCall,
  tokenHash: string,
): { readonly id: string; readonly expiresAt: number } {
  const now = system.clock.now();
  const expiresAt = now + APPROVAL_LIFETIME_MS;
  const id = system.ids.hex(8);
  const { summary } = call.preview;
  // An approval in a terminal is consent, however it was asked for.
  const request = requestOf(call, { tokenHash, now, expiresAt, tokenOnly: false });
  store.approvals.add({ ...call.asker, id, summary }, request, MOST_LIVE_REQUESTS);
  waits?.({ id, summary, client: call.asker.client });
  return { id, expiresAt };
}

/** A refusal that carries a fresh request; with `tokenOnly` nothing but its token settles it. */
export function refuse(
  at: Keeping,
  call: GateCall,
  { code, message, details, tokenOnly = true }: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details: Fields;
    readonly tokenOnly?: boolean | undefined;
  },
): AmofError {
  const kind = kindOf(call);
  const { store, system: { ids, clock } } = at;
  const token = ids.uuid();
  const tokenHash = hashToken(token);
  const now = clock.now();
  const left = call.confirmBy === "human" ? leaveToPerson(at, call, tokenHash) : null;
  const expiresAt = left?.expiresAt ?? now + TOKEN_LIFETIME_MS;
  if (left === null) {
    // Who has no session has to name a token.
    const request = { tokenHash, now, expiresAt, tokenOnly: tokenOnly || !call.lasts };
    store.confirmations.add(requestOf(call, request), MOST_LIVE_REQUESTS);
  }
  const approvalId = left?.id ?? null;
  const confirmation = shownRequest(call, { kind, token, expiresAt, approvalId });
  return new AmofError(code, message, {
    hint: hintFor(call, kind, token, approvalId),
    details: { ...details, confirmation },
  });
}
