/**
 * What a browser and this server say to each other about passkeys (SIGN-4). What comes from a browser is of anybody:
 * members are picked by hand and checked by the library.
 */

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { AmofError, reasonOf } from "../../../base/error.ts";
import { fieldsOf } from "../../../base/object.ts";
import type { Passkey } from "../../../state/store/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";

/** The name that passkeys are bound to. */
export const RP_ID = "localhost";
/** How long a person may take to touch the key. */
export const TOUCH_MS = 120_000;

/** What a browser is told when a key is to sign. */
export interface AssertionOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly allow: readonly { readonly id: string; readonly transports: readonly string[] }[];
  readonly timeout: number;
}

/** The page that asks, as browsers name it. */
export function originAt(port: number): string {
  return `http://${RP_ID}:${port}`;
}

/** What is asked of one of these keys. */
export function assertionOptions(keys: readonly Passkey[], challenge: string): AssertionOptions {
  return {
    challenge,
    rpId: RP_ID,
    allow: keys.map(({ id, transports }) => ({ id, transports })),
    timeout: TOUCH_MS,
  };
}

/** What is asked of a new key. */
export async function creationOptions(
  user: string,
  keys: readonly Passkey[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  return await generateRegistrationOptions({
    rpName: "amof",
    rpID: RP_ID,
    userName: cleanLine(user, 60),
    timeout: TOUCH_MS,
    attestationType: "none",
    excludeCredentials: keys.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
  });
}

function text(value: unknown): string {
  return typeof value === "string" && /^[\w-]{1,65536}$/.test(value) ? value : "";
}

/** The challenge that a response says it answers; empty where it says none. */
export function challengeIn(response: unknown): string {
  const { clientDataJSON } = fieldsOf(fieldsOf(response)["response"]);
  try {
    const bytes = atob(text(clientDataJSON).replaceAll("-", "+").replaceAll("_", "/"));
    return text(fieldsOf(JSON.parse(bytes))["challenge"]);
  } catch {
    return "";
  }
}

function refused(why: string): AmofError {
  return new AmofError("passkey_required", `Cannot take this passkey: ${cleanLine(why, 200)}`);
}

/** Checks a new key; throws `passkey_required` with the reason. */
export async function verifyCreation(
  given: unknown,
  { challenge, origin }: { readonly challenge: string; readonly origin: string },
): Promise<Pick<Passkey, "id" | "publicKey" | "counter" | "transports">> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { id, response: inner } = fieldsOf(given);
  const { clientDataJSON, attestationObject, transports } = fieldsOf(inner);
  const response: RegistrationResponseJSON = {
    id: text(id),
    rawId: text(id),
    type: "public-key",
    response: {
      clientDataJSON: text(clientDataJSON),
      attestationObject: text(attestationObject),
    },
    clientExtensionResults: {},
  };
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: RP_ID,
      requireUserVerification: true,
    });
    if (!verified || registrationInfo === undefined) throw refused("it does not verify");
    const { credential } = registrationInfo;
    return {
      id: credential.id,
      publicKey: credential.publicKey.toBase64({ alphabet: "base64url", omitPadding: true }),
      counter: credential.counter,
      transports: Array.isArray(transports)
        ? transports.filter((each): each is string => typeof each === "string").slice(0, 8)
        : [],
    };
  } catch (error) {
    throw error instanceof AmofError ? error : refused(reasonOf(error));
  }
}

/** What a key has signed, as base64url. */
interface Assertion {
  readonly key: Passkey;
  readonly counter: number;
  readonly authenticatorData: string;
  readonly clientDataJson: string;
  readonly signature: string;
}

/** Checks that one of these keys signed a challenge, its person having proven to be there; throws `passkey_required`. */
export async function verifyAssertion(
  given: unknown,
  { keys, challenge, origin }: {
    readonly keys: readonly Passkey[];
    readonly challenge: string;
    readonly origin: string;
  },
): Promise<Assertion> {
  const { id, response: inner } = fieldsOf(given);
  const { clientDataJSON, authenticatorData, signature } = fieldsOf(inner);
  const key = keys.find((each) => each.id === id);
  if (key === undefined) throw refused("it is not one of yours");
  const response: AuthenticationResponseJSON = {
    id: key.id,
    rawId: key.id,
    type: "public-key",
    response: {
      clientDataJSON: text(clientDataJSON),
      authenticatorData: text(authenticatorData),
      signature: text(signature),
    },
    clientExtensionResults: {},
  };
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: RP_ID,
      requireUserVerification: true,
      credential: {
        id: key.id,
        publicKey: Uint8Array.fromBase64(key.publicKey, { alphabet: "base64url" }),
        counter: key.counter,
      },
    });
    if (!verified) throw refused("its signature is wrong");
    return {
      key,
      counter: authenticationInfo.newCounter,
      authenticatorData: response.response.authenticatorData,
      clientDataJson: response.response.clientDataJSON,
      signature: response.response.signature,
    };
  } catch (error) {
    throw error instanceof AmofError ? error : refused(reasonOf(error));
  }
}
