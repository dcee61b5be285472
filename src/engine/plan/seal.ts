/** Seals plans with the key of this installation, and opens them again where a shard runs (PLAN-2, PLAN-3). */

import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { dirname, join } from "@std/path";
import process from "node:process";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { isObject } from "../../base/object.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import type { Plan, PlanContent } from "./plan.ts";
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
function keyFingerprint(publicKey: string): string {
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
function isSignedBy(publicKey: string, text: string, signature: string): boolean {
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

/** A plan as it travels. */
export interface SealedPlan {
  /** The content of its file. */
  readonly text: string;
  /** The hash that shards are told, hexadecimal. */
  readonly sha256: string;
  /** The fingerprint of the key, which shards are told as well. */
  readonly key: string;
}

/** What is signed. */
function signedText(plan: PlanContent & { readonly key: string }): string {
  const { signature: _none, ...content } = plan as Plan;
  return `amof-plan-v1\n${canonicalJson(content)}`;
}

/** Signs a plan. */
export function seal(content: PlanContent, key: PlanKey): SealedPlan {
  const unsigned = { ...content, key: key.publicKey };
  const plan: Plan = { ...unsigned, signature: key.sign(signedText(unsigned)) };
  const text = `${canonicalJson(plan)}\n`;
  return { text, sha256: sha256(text), key: keyFingerprint(key.publicKey) };
}

/** What a shard was told of its plan by whoever started it. */
interface Told {
  readonly sha256: string;
  readonly key: string;
  /** The version of the program that opens it. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

function refused(why: string): AmofError {
  return new AmofError("plan_refused", `Cannot carry the plan out: ${why}`, { details: { why } });
}

function isSame(a: string, b: string): boolean {
  const encoder = new TextEncoder();
  return timingSafeEqual(encoder.encode(a), encoder.encode(b));
}

/** Opens a plan. Throws `plan_refused` unless it is whole, of the installation that was told, and not over. */
export function open(text: string, told: Told): Plan {
  if (!isSame(sha256(text), told.sha256)) {
    throw refused("it is not the one this shard was started for");
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refused("it is no JSON");
  }
  if (!isObject(parsed) || parsed["v"] !== 1) {
    throw refused("it has a form this version does not know");
  }
  // Its hash is the one that was told, so that its form is what this program wrote.
  const plan = parsed as unknown as Plan;
  if (!isSame(keyFingerprint(plan.key), told.key)) {
    throw refused("another installation of amof has signed it");
  }
  if (!isSignedBy(plan.key, signedText(plan), plan.signature)) {
    throw refused("its signature is wrong");
  }
  if (plan.version !== told.version) {
    throw refused(`it was made by amof ${plan.version}, and this is ${told.version}`);
  }
  if (isOver(plan, told.now)) throw refused("the time in which it was agreed to is over");
  return plan;
}

/** Whether nothing of a plan may be begun any more. */
export function isOver({ not_after: end }: Pick<Plan, "not_after">, now: number): boolean {
  return !(now < Date.parse(end));
}
