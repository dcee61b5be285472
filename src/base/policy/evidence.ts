/**
 * What proves that a person with a passkey approved exactly one preview: the type of the evidence, and the challenge
 * that was signed (SIGN-4). What that protects against, and what not, is SIGN-5.
 */

import { sha256 } from "../hash.ts";

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
  const bytes = digest.match(/../g) ?? [];
  return btoa(bytes.map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).join(""))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
