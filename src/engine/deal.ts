/**
 * How work is dealt out to shards (ENGINE-8).
 *
 * @module
 */

import { hostOf } from "../git/mod.ts";
import type { Budget, PlanItem } from "./plan/plan.ts";
import type { Limits } from "./port.ts";
import type { Profile } from "./profile.ts";

/** Shards for each place that works at once: enough that the last ones do not leave the others idle. */
const ROUNDS = 4;

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
  const byHost = new Map<string, PlanItem[]>();
  for (const item of items) {
    const host = hostOf(item.url);
    byHost.set(host, [...byHost.get(host) ?? [], item]);
  }
  // Each host's items lie evenly over the whole.
  return [...byHost.values()].flatMap((all) =>
    all.map((item, at) => ({ item, at: (at + 0.5) / all.length }))
  ).toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}

/** What a host takes a minute in all, and at once, where nothing else is known of it. */
const KNOWN: Readonly<Record<string, { readonly perMinute: number; readonly concurrent: number }>> =
  {
    "github.com": { perMinute: 600, concurrent: 16 },
    "gitlab.com": { perMinute: 300, concurrent: 8 },
  };
const OTHER = { perMinute: 120, concurrent: 4 };

/** How many shards run at once, and what each may ask of its hosts: no host is asked for more than it takes. */
export function budgetsOf(
  items: readonly PlanItem[],
  { parallel }: Pick<Profile, "parallel">,
): { readonly parallel: number; readonly budgets: readonly Budget[] } {
  // Repositories on a file system have no host.
  const hosts = [...new Set(items.map(({ url }) => hostOf(url)))].filter((host) => host !== "");
  const limits = hosts.map((host) => ({ host, ...KNOWN[host] ?? OTHER }));
  const atOnce = Math.max(1, Math.min(parallel, ...limits.map(({ concurrent }) => concurrent)));
  return {
    parallel: atOnce,
    budgets: limits.map(({ host, perMinute }) => ({ host, perMinute: perMinute / atOnce })),
  };
}
