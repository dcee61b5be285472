/** Hashes of bytes. */

import type { Hash } from "node:crypto";
import process from "node:process";

/** What takes bytes piece by piece and hashes them. */
export function hasher(algorithm: "sha256" | "sha1"): Pick<Hash, "update" | "digest"> {
  // Taken when it is first needed: most short commands hash nothing.
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

/** HMAC with SHA-256 of a text as UTF-8, base64url. */
export function hmac(key: string, text: string): string {
  return process.getBuiltinModule("node:crypto").createHmac("sha256", key).update(text)
    .digest("base64url");
}

/** SHA-256 of bytes, or of a text as UTF-8, hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content);
}
