/** What is done where, as it travels to shards: one file, sealed by its hash and signed (PLAN-1). */

import type { Authorship } from "../../git/write/mod.ts";
import type { Door } from "../../base/policy/mode.ts";
import { isObject } from "../../base/object.ts";
import process from "node:process";
import { hostOf } from "../../git/mod.ts";
import type { Settings } from "../../state/settings/mod.ts";
import type { Limits, Profile } from "../port.ts";

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
  try {
    const plan: unknown = JSON.parse(text ?? "");
    const items = isObject(plan) ? plan["items"] : null;
    return Array.isArray(items) ? items as readonly PlanItem[] : [];
  } catch {
    return [];
  }
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
