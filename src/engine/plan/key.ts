/** The key of this installation, with which plans are signed (PLAN-2). */

import { dirname, join } from "@std/path";
import process from "node:process";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import type { Layout } from "../../state/store/mod.ts";
import type { Files, System } from "../../base/system/mod.ts";

/** A key pair; the private half never leaves this machine. */
export interface PlanKey {
  /** Base64 of the DER form. */
  readonly publicKey: string;
  readonly sign: (text: string) => string;
}

/** Taken when it is first needed: loading the module costs more than many a whole command. */
function crypto() {
  return process.getBuiltinModule("node:crypto");
}

/** What stands for a public key in arguments: the SHA-256 of its DER form, hexadecimal. */
export function keyFingerprint(publicKey: string): string {
  return sha256(Uint8Array.fromBase64(publicKey));
}

/** The key of this installation, which is made when there is none yet. */
export async function installationKey(
  { files, ids }: Pick<System, "files" | "ids">,
  { state }: Layout,
): Promise<PlanKey> {
  const path = join(state, "engine.key");
  const pem = await files.readText(path) ?? await made(files, path, `${path}.${ids.hex(8)}`);
  const { createPrivateKey, createPublicKey, sign } = crypto();
  let key: ReturnType<typeof createPrivateKey>;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new AmofError(
      "state_corrupt",
      `Cannot read the key that plans are signed with: ${path}`,
      {
        hint:
          "Move the file away: the next plan gets a new key, and arrays that run are not taken over",
        details: { path },
      },
    );
  }
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" });
  return {
    publicKey: publicKey.toString("base64"),
    sign: (text) => sign(null, new TextEncoder().encode(text), key).toString("base64"),
  };
}

/** Makes a key, unless another process has made one at the same moment: there is only one. */
async function made(files: Files, path: string, aside: string): Promise<string> {
  const { privateKey } = crypto().generateKeyPairSync("ed25519");
  const pem = String(privateKey.export({ format: "pem", type: "pkcs8" }));
  await files.makeDirectory(dirname(path), { mode: 0o700 });
  await files.create(aside, pem, { mode: 0o600 });
  // Whole, or not there: nobody reads half a key.
  const isFirst = await files.link(aside, path);
  if (!isFirst && await files.stat(path) === null) await files.rename(aside, path);
  else await files.remove(aside);
  return await files.readText(path) ?? pem;
}

/** Whether the text was signed with a public key. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const { createPublicKey, verify } = crypto();
    const key = createPublicKey({
      key: process.getBuiltinModule("node:buffer").Buffer.from(publicKey, "base64"),
      format: "der",
      type: "spki",
    });
    return verify(
      null,
      new TextEncoder().encode(text),
      key,
      Uint8Array.fromBase64(signature),
    );
  } catch {
    return false;
  }
}
