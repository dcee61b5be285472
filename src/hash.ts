/**
 * Hashes of bytes.
 *
 * @module
 */

import process from "node:process";

/** The hash of bytes and of texts as UTF-8, one after the other, hexadecimal. */
export function hash(
  algorithm: "sha256" | "sha1",
  ...parts: readonly (string | Uint8Array)[]
): string {
  // Taken when it is first needed: loading the module costs more than many a whole command.
  const digest = process.getBuiltinModule("node:crypto").createHash(algorithm);
  for (const part of parts) digest.update(part);
  return digest.digest("hex");
}

/** SHA-256 of bytes, or of a text as UTF-8, hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content);
}
