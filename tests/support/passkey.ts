/**
 * A passkey without a browser: signs approvals as an authenticator does.
 *
 * @module
 */

import { approvalChallenge, type PasskeyEvidence } from "../../src/base/policy/consent.ts";

const base64url = (bytes: Uint8Array) =>
  bytes.toBase64({ alphabet: "base64url", omitPadding: true });
const bytesOf = (text: string) => new TextEncoder().encode(text);
const digest = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** A number of a signature as DER has it. */
function derNumber(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = [...bytes.slice(first < 0 ? bytes.length - 1 : first)];
  const body = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : digits;
  return [2, body.length, ...body];
}

/** What may be otherwise than it should be. */
export interface Deviation {
  readonly flags?: number;
  readonly type?: string;
  readonly rp?: string;
  readonly challenge?: string;
}

/** Makes a key and signs one approval with it. */
export async function approvedWithPasskey(
  approval: { readonly request: string; readonly fingerprint: string; readonly nonce: string },
  { flags = 0x05, type = "webauthn.get", rp = "localhost", challenge }: Deviation = {},
): Promise<PasskeyEvidence> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, [
    "sign",
    "verify",
  ]);
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  // COSE: EC2, ES256, P-256, x, y.
  const cose = new Uint8Array([
    ...[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32, ...point.slice(1, 33)],
    ...[0x22, 0x58, 32, ...point.slice(33)],
  ]);
  const origin = "http://localhost:8000";
  const client = bytesOf(JSON.stringify({
    type,
    challenge: challenge ?? approvalChallenge(approval),
    origin,
    crossOrigin: false,
  }));
  const authenticator = new Uint8Array([...await digest(bytesOf(rp)), flags, 0, 0, 0, 7]);
  const raw = new Uint8Array(
    await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      privateKey,
      new Uint8Array([...authenticator, ...await digest(client)]),
    ),
  );
  const numbers = [...derNumber(raw.slice(0, 32)), ...derNumber(raw.slice(32))];
  return {
    kind: "passkey",
    ...approval,
    rp_id: "localhost",
    origin,
    credential_id: base64url(bytesOf("a key")),
    public_key: base64url(cose),
    authenticator_data: base64url(authenticator),
    client_data_json: base64url(client),
    signature: base64url(new Uint8Array([0x30, numbers.length, ...numbers])),
  };
}
