/**
 * Hashes of bytes.
 *
 * @module
 */

import { sha256 as digestOf } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Hash } from "node:crypto";
import process from "node:process";

/** More bytes than these are hashed faster by what is built in, although that must be loaded. */
const MANY = 16_384;

/** What takes bytes piece by piece and hashes them. */
export function hasher(algorithm: "sha256" | "sha1"): Pick<Hash, "update" | "digest"> {
  // Taken when it is first needed: loading the module costs more than many a whole command.
  return process.getBuiltinModule("node:crypto").createHash(algorithm);
}

/** The hash of bytes and of texts as UTF-8, one after the other, hexadecimal. */
export function hash(
  algorithm: "sha256" | "sha1",
  ...parts: readonly (string | Uint8Array)[]
): string {
  const digest = hasher(algorithm);
  for (const part of parts) digest.update(part);
  return digest.digest("hex");
}

/** SHA-256 of bytes, or of a text as UTF-8, hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return bytes.length > MANY ? hash("sha256", bytes) : bytesToHex(digestOf(bytes));
}
