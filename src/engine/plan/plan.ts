/** What is done where, as it travels to shards: one file, sealed by its hash and signed (PLAN-1). */

import type { Authorship } from "../../git/write/mod.ts";
import type { Door } from "../../base/policy/mode.ts";
import { fieldsOf, isObject, jsonIn } from "../../base/object.ts";
import process from "node:process";
import { hostOf } from "../../git/mod.ts";
import type { Settings } from "../../state/settings/mod.ts";
import type { Limits, Profile } from "../port.ts";
import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { dirname, join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import type { Layout } from "../../state/store/mod.ts";
import type { Files, System } from "../../base/system/mod.ts";

/** One repository of a plan. */
export interface PlanItem {
  /** Its name in the ecosystem. */
  readonly repo: string;
  readonly url: string;
  readonly branch: string;
  /** How much history its clones get, as in the manifest; all of it when absent. */
  readonly clone?: string;
  /** The commit the remote has to have there; null where any will do. */
  readonly commit: string | null;
  /** Where its clone lies in the directory of a ticket; absent where no ticket is worked on. */
  readonly place?: TicketPlace;
}

/** A repository in the directory of a ticket. */
export interface TicketPlace {
  /** Relative to the directory of the ticket, with `/`. */
  readonly path: string;
  /** The branch that is checked out there, which begins at the commit of the item. */
  readonly branch: string;
  /** Whether it is there to be read alone: nothing of it is sent home. */
  readonly readonly: boolean;
}

/** A program that is run in each repository. */
export interface ProgramAction {
  /** The program and its arguments. */
  readonly argv: readonly string[];
  /** For each repository, in seconds; null for as long as the shard may take. */
  readonly timeLimit: number | null;
  /** Names of the variables it gets of the shard's own, besides what says where it is. */
  readonly variables: readonly string[];
  /** What it is told besides, by name. */
  readonly told: Readonly<Record<string, string>>;
}

/** A program is run, and what it changes is thrown away. */
interface ExecAction extends ProgramAction {
  readonly kind: "exec";
}

/** A program is run, and what it changes becomes a commit that is sent home (SHARD-7). */
export interface CommitAction extends ProgramAction {
  readonly kind: "commit";
  readonly author: Authorship;
  readonly message: string;
  /** Globs of files that hold a commit back. */
  readonly no_touch: readonly string[];
  /** A commit with more bytes stays there. */
  readonly most_bytes: number;
}

/**
 * A program is run once, in a directory with the clones of all items, and what it leaves in each is sent home (SHARD-8).
 */
export interface AgentAction extends ProgramAction {
  readonly kind: "agent";
  readonly ticket: string;
  /** Who a commit of what it has not committed is by. */
  readonly author: Authorship;
  /** What that commit says. */
  readonly message: string;
  /** Commits of one repository with more bytes stay there. */
  readonly most_bytes: number;
  /** Without a box of this kind nothing is run; null where a person wants none. */
  readonly box: {
    readonly network: "none" | "full";
    /** Places of who submits that it must not see, absolute. */
    readonly hide: readonly string[];
  } | null;
}

/** What is done in each repository: one member for each kind, each with its module beside the shard's work. */
export type PlanAction = ExecAction | CommitAction | AgentAction;

/** What one host is asked for at most by one shard (PLAN-4). */
export interface Budget {
  readonly host: string;
  readonly perMinute: number;
}

/** A plan before it is signed. */
export interface PlanContent {
  readonly v: 1;
  /** The id of the run. */
  readonly run: string;
  /** UTC. */
  readonly created: string;
  /** After this moment no shard begins anything any more. UTC. */
  readonly not_after: string;
  /** The version of the program that may carry it out. */
  readonly version: string;
  readonly by: string;
  readonly door: Door;
  /** What was confirmed: the hash of the facts that the preview showed. */
  readonly fingerprint: string;
  readonly ecosystem: string;
  /** How long a shard may take, in seconds. */
  readonly seconds: number;
  readonly budgets: readonly Budget[];
  readonly action: PlanAction;
  /** Shard `n` of `m` works on those whose number leaves `n` when it is divided by `m`. */
  readonly items: readonly PlanItem[];
}

/** A plan with who signed it. */
export interface Plan extends PlanContent {
  /** The public key, as base64 of its DER form. */
  readonly key: string;
  /** Ed25519 over {@linkcode signedText}, as base64. */
  readonly signature: string;
}

/** What a plan is about, of its text; none of a text that is no plan. Only for plans that were sealed here. */
export function submittedItems(text: string | null): readonly PlanItem[] {
  const { items } = fieldsOf(jsonIn(text ?? ""));
  return Array.isArray(items) ? items as readonly PlanItem[] : [];
}

// How work is dealt out to shards (ENGINE-8).

/** Shards for each place that works at once: enough that the last ones do not leave the others idle. */
const ROUNDS = 4;

/** No plan has more repositories. */
export const MOST_ITEMS = 20_000;

/** What everything else in a plan has, and what items may grow when they are compressed with it, in bytes. */
const PLAN_SPARE = 16 * 1_024;

/** How long the plan of some items is, compressed, in bytes: never less than it will be. */
export function planBytes(items: readonly PlanItem[]): number {
  const { gzipSync } = process.getBuiltinModule("node:zlib");
  return gzipSync(JSON.stringify(items)).length + PLAN_SPARE;
}

/** How many shards there are: as asked for, else by what runs at once; never more than items or the engine takes. */
export function shardCount(
  asked: number | null,
  { items, parallel, limits }: {
    readonly items: number;
    readonly parallel: number;
    readonly limits: Pick<Limits, "shards">;
  },
): number {
  return Math.max(1, Math.min(items, asked ?? ROUNDS * parallel, limits.shards));
}

/** The items in an order in which neighbours are of different hosts, so that shards that run at once are, too. */
export function mixed(items: readonly PlanItem[]): readonly PlanItem[] {
  // Each host's items lie evenly over the whole.
  return [...Map.groupBy(items, ({ url }) => hostOf(url)).values()].flatMap((all) =>
    all.map((item, at) => ({ item, at: (at + 0.5) / all.length }))
  ).toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}

/** What a host takes of all shards together. */
interface HostLimits {
  /** Connections at once. */
  readonly concurrent: number;
  /** Requests in a minute. */
  readonly perMinute: number;
}

/** What is known of hosts. */
const KNOWN: Readonly<Record<string, HostLimits>> = {
  "github.com": { concurrent: 16, perMinute: 1_800 },
  "gitlab.com": { concurrent: 8, perMinute: 900 },
};
const OTHER: HostLimits = { concurrent: 4, perMinute: 360 };

/** What a host takes: as a person has told, else what is known of it. */
function hostLimits(host: string, { hosts }: Pick<Settings, "hosts">): HostLimits {
  const known = Object.hasOwn(KNOWN, host) ? KNOWN[host] ?? OTHER : OTHER;
  const told = Object.hasOwn(hosts, host) ? hosts[host] : undefined;
  return {
    concurrent: told?.concurrent ?? known.concurrent,
    perMinute: told?.per_minute ?? known.perMinute,
  };
}

/** How many shards run at once, and what each may ask of its hosts: no host is asked for more than it takes. */
export function budgetsOf(
  items: readonly Pick<PlanItem, "url">[],
  { parallel }: Pick<Profile, "parallel">,
  settings: Pick<Settings, "hosts">,
): { readonly parallel: number; readonly budgets: readonly Budget[] } {
  // Repositories on a file system have no host.
  const hosts = [...new Set(items.map(({ url }) => hostOf(url)))].filter((host) => host !== "");
  const limits = hosts.map((host) => ({ host, ...hostLimits(host, settings) }));
  const atOnce = Math.max(1, Math.min(parallel, ...limits.map(({ concurrent }) => concurrent)));
  return {
    parallel: atOnce,
    budgets: limits.map(({ host, perMinute }) => ({ host, perMinute: perMinute / atOnce })),
  };
}

// Seals plans with the key of this installation, and opens them again where a shard runs (PLAN-2, PLAN-3).

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
interface GivenPlan {
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
export function open(text: string, told: GivenPlan): Plan {
  if (!isSame(sha256(text), told.sha256)) {
    throw refused("it is not the one this shard was started for");
  }
  const parsed = jsonIn(text);
  if (parsed === undefined) throw refused("it is no JSON");
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
