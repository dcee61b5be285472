/**
 * What runs take so that they do not meet: the ecosystem, its base workspace, the workspaces of its tickets (RUN-6).
 *
 * Whoever works in one workspace takes that for itself and shares the ecosystem with those who work in others; whoever
 * needs all of the ecosystem takes the ecosystem for itself. The table in the rule says what each command takes.
 */

import { sha256 } from "../base/hash.ts";
import type { Locks } from "../contract/mod.ts";
import type { Lock } from "../state/store/mod.ts";

interface LockPlace {
  readonly root: string;
  /** Empty for the control repository itself. */
  readonly ecosystem: string;
  /** The ticket in whose own workspace it works; null for the base workspace. */
  readonly ticket: string | null;
}

/** The key of an ecosystem of a control repository. */
function ecosystemKey({ root, ecosystem }: Pick<LockPlace, "root" | "ecosystem">): string {
  return `${sha256(root).slice(0, 16)}/${ecosystem}`;
}

/** The key of a ticket's own workspace; some file systems take ids that differ in case for one. */
function ticketKey(ecosystem: string, ticket: string): string {
  return `${ecosystem}@${ticket.toLowerCase()}`;
}

/**
 * The locks that stand for what a command takes.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { locksAt } from "./locks.ts";
 *
 * const place = { root: "/control", ecosystem: "shop", ticket: "PROJ-1" };
 * const shown = (locks: ReturnType<typeof locksAt>) =>
 *   locks.map(({ key, shared }) => `${key.slice(17)}${shared ? " shared" : ""}`);
 * assertEquals(shown(locksAt("ecosystem", place)), ["shop"]);
 * assertEquals(shown(locksAt("scope", place)), ["shop shared", "shop@proj-1"]);
 * assertEquals(shown(locksAt("scope", { ...place, ticket: null })), ["shop shared", "shop#base"]);
 * ```
 */
export function locksAt(locks: Locks, place: LockPlace): readonly Lock[] {
  const ecosystem = ecosystemKey(place);
  if (locks === "ecosystem" || place.ecosystem === "") return [{ key: ecosystem, shared: false }];
  const { base = false, tickets = [] } = locks !== "scope"
    ? locks
    : place.ticket === null
    ? { base: true }
    : { tickets: [place.ticket] };
  const keys = [
    ...(base ? [`${ecosystem}#base`] : []),
    ...tickets.map((ticket) => ticketKey(ecosystem, ticket)),
  ];
  return [
    { key: ecosystem, shared: true },
    ...[...new Set(keys)].map((key) => ({ key, shared: false })),
  ];
}

/** Whether two runs cannot hold these at the same time. */
function conflict(one: readonly Lock[], other: readonly Lock[]): boolean {
  return one.some(({ key, shared }) =>
    other.some((lock) => lock.key === key && !(shared && lock.shared))
  );
}

/**
 * Whether whoever takes some locks first settles what a run left that held others: one in a ticket what was left there,
 * one in the base workspace also what was left of the whole ecosystem, one that needs all of it everything.
 */
export function concerns(taken: readonly Lock[], left: readonly Lock[]): boolean {
  const own = taken.filter(({ shared }) => !shared).map(({ key }) => key);
  const meets = own.some((key) => left.some((lock) => lock.key === key));
  const isBase = own.some((key) => key.endsWith("#base"));
  return meets || (isBase && conflict(taken, left));
}

/** All of several locks, each once: for itself where one of them is so. */
export function together(locks: readonly Lock[]): readonly Lock[] {
  const byKey = Map.groupBy(locks, ({ key }) => key);
  return [...byKey].map(([key, same]) => ({ key, shared: same.every(({ shared }) => shared) }));
}
