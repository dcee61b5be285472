/** How work is dealt out to shards (ENGINE-8). */

import process from "node:process";
import { hostOf } from "../git/mod.ts";
import type { Settings } from "../state/settings/mod.ts";
import type { Budget, PlanItem } from "./plan/plan.ts";
import type { Limits, Profile } from "./port.ts";

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
