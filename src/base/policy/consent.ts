/** What counts as a person's consent: a token that may be spent, or a signature. */

import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { sha256 } from "../hash.ts";

// Whether a confirmation token may be spent: a pure decision over the stored request (CONFIRM-9).

/** How long a token lives. */
export const TOKEN_LIFETIME_MS = 5 * 60 * 1000;
/** How long a request waits for a person to approve it in a terminal, who has to be told and to come. */
export const APPROVAL_LIFETIME_MS = 15 * 60 * 1000;
/** How many live requests one owner has at most; the oldest goes. */
export const MOST_LIVE_REQUESTS = 20;
/** After so many wrongly typed names a request is void. */
export const MOST_WRONG_TRIES = 3;

/** What is known when somebody wants to spend a token. */
export interface Redemption {
  /** The stored request; null when no such token of this owner exists. */
  readonly request: {
    readonly tool: string;
    readonly kind: "simple" | "preview" | "type";
    readonly typedValue: string | null;
    readonly fingerprint: string;
    readonly expiresAt: number;
    readonly outcome: string | null;
    /** What a person said in a terminal; `pending` while nobody has, null where nobody has to. */
    readonly approval: "pending" | "approved" | "declined" | null;
  } | null;
  readonly now: number;
  /** The tool that is being called; null when the token itself says which. */
  readonly tool: string | null;
  /** The fingerprint of a fresh preview of the same call. */
  readonly fingerprint: string;
  readonly typedValue: string | null;
}

/** The verdict; only `spend` lets the action start. */
export type Verdict =
  | "invalid"
  | "expired"
  | "stale"
  | "pending"
  | "declined"
  | "type_failed"
  | "spend";

/**
 * Decides about a redemption in a mode that allows the act. The order matters: an unknown token learns nothing
 * about the state, and what waits for a person says first whether that is still worth waiting for.
 */
export function judge(redemption: Redemption): Verdict {
  const { request } = redemption;
  if (request === null) return "invalid";
  if (redemption.tool !== null && redemption.tool !== request.tool) return "invalid";
  if (request.approval === "declined") return "declined";
  if (request.outcome !== null) return "invalid";
  if (redemption.now >= request.expiresAt) return "expired";
  if (!isSame(redemption.fingerprint, request.fingerprint)) return "stale";
  if (request.approval === "pending") return "pending";
  // A person who approved has typed the name in their terminal.
  if (request.kind !== "type" || request.approval === "approved") return "spend";
  // A stored request without a name can never be confirmed by typing.
  const { typedValue: wanted } = request;
  const typed = wanted !== null && isSame(redemption.typedValue ?? "", wanted);
  return typed ? "spend" : "type_failed";
}

// Compares secrets, and the hashes that decide whether something may happen.

const encoder = new TextEncoder();

/**
 * Whether two secrets or hashes are the same, told in a time that says nothing about where they differ. How long
 * they are is no secret.
 */
export function isSame(a: string, b: string): boolean {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

// What proves that a person with a passkey approved exactly one preview: the type of the evidence, and the challenge
// that was signed (SIGN-4). What that protects against, and what not, is SIGN-5.

/** What is signed for an approval: which request, which preview, and something that was never signed before. */
export interface ApprovalChallenge {
  /** Id of the request. */
  readonly request: string;
  /** The fingerprint of the preview that was shown, hexadecimal (CONFIRM-4). */
  readonly fingerprint: string;
  /** Random, hexadecimal. */
  readonly nonce: string;
}

/** A signature over an approval, with everything it takes to check it again. Bytes are base64url without padding. */
export interface PasskeyEvidence extends ApprovalChallenge {
  readonly kind: "passkey";
  /** The name the key is bound to. */
  readonly rp_id: string;
  /** The page that asked for the signature. */
  readonly origin: string;
  readonly credential_id: string;
  /** As COSE. */
  readonly public_key: string;
  readonly authenticator_data: string;
  readonly client_data_json: string;
  readonly signature: string;
}

/** The challenge of an approval: the SHA-256 of what is approved, as base64url without padding. */
export function approvalChallenge({ request, fingerprint, nonce }: ApprovalChallenge): string {
  const digest = sha256(`amof approval\n${request}\n${fingerprint}\n${nonce}`);
  return Uint8Array.fromHex(digest).toBase64({ alphabet: "base64url", omitPadding: true });
}
