/** Checks the signature of a person's passkey that an entry of the audit log holds (AUDIT-5). */

import { verifyAuthenticationResponse } from "@simplewebauthn/server";
import { fieldsOf } from "../../base/object.ts";
import { approvalChallenge } from "../../base/policy/consent.ts";

const MEMBERS = [
  "request",
  "fingerprint",
  "nonce",
  "rp_id",
  "origin",
  "credential_id",
  "public_key",
  "authenticator_data",
  "client_data_json",
  "signature",
] as const;

/**
 * Why the evidence of an entry does not prove that a person with a passkey approved its preview, as a sentence without
 * a full stop; null where it does. `previewHash` is the entry's own.
 */
export async function signatureFault(
  evidence: unknown,
  previewHash: string | null,
): Promise<string | null> {
  const given = fieldsOf(evidence);
  const texts = new Map(
    MEMBERS.flatMap((name) => {
      const value = given[name];
      return typeof value === "string" ? [[name, value] as const] : [];
    }),
  );
  const text = (name: typeof MEMBERS[number]) => texts.get(name) ?? "";
  if (given["kind"] !== "passkey" || texts.size !== MEMBERS.length) {
    return "Its evidence is no signature of a passkey";
  }
  if (text("fingerprint") !== previewHash) return "Its signature is over another preview";
  const id = text("credential_id");
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: "public-key",
        clientExtensionResults: {},
        response: {
          clientDataJSON: text("client_data_json"),
          authenticatorData: text("authenticator_data"),
          signature: text("signature"),
        },
      },
      expectedChallenge: approvalChallenge({
        request: text("request"),
        fingerprint: text("fingerprint"),
        nonce: text("nonce"),
      }),
      expectedOrigin: text("origin"),
      expectedRPID: text("rp_id"),
      credential: {
        id,
        publicKey: Uint8Array.fromBase64(text("public_key"), { alphabet: "base64url" }),
        // How often the key signed before is not told here, so that any number will do.
        counter: 0,
      },
      requireUserVerification: true,
    });
    return verified ? null : "Its signature is not that of the key it names";
  } catch {
    // The library's own message would repeat members of the evidence.
    return "Its evidence does not prove an approval of this preview";
  }
}
