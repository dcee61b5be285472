/**
 * Signatures as minisign makes them, so that tests need no minisign.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** A key pair. */
export interface SigningKey {
  readonly id: Uint8Array;
  readonly secret: KeyObject;
  /** The text of its minisign.pub. */
  readonly publicKey: string;
}

/** A new key pair. */
export function signingKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const id = randomBytes(8);
  const raw = publicKey.export({ type: "spki", format: "der" }).subarray(-32);
  const text = Buffer.concat([Buffer.from("Ed"), id, raw]).toString("base64");
  return { id, secret: privateKey, publicKey: `untrusted comment: minisign public key\n${text}\n` };
}

/** The text of the signature of a text, with a comment that is signed, too. */
export function signature(key: SigningKey, text: string, comment: string): string {
  const signed = sign(null, createHash("blake2b512").update(text).digest(), key.secret);
  const both = sign(null, Buffer.concat([signed, Buffer.from(comment)]), key.secret);
  const head = Buffer.concat([Buffer.from("ED"), key.id, signed]).toString("base64");
  return [
    "untrusted comment: signature",
    head,
    `trusted comment: ${comment}`,
    both.toString("base64"),
    "",
  ].join("\n");
}
