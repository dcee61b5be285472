/** Limits for work that talks to other machines: in all, and per host (WORKSPACE-15). */

import { Slots } from "../../base/async/pool.ts";

/** How many transfers run at once in all. */
const TRANSFERS = 8;
/** How many transfers one host gets at once. */
const PER_HOST = 4;

/** How many local git processes run at once: they wait for the disk as much as for a processor. */
export function localJobs(cpus: number): number {
  return Math.min(32, Math.max(4, cpus * 2));
}

/** The host of a URL in any of git's spellings; empty for local ones. */
export function hostOf(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:]*)/i.exec(url);
  if (scheme !== null) return (scheme[1] ?? "").toLowerCase();
  const short = /^(?:[^/@:]+@)?([^/:]{2,}):/.exec(url);
  return (short?.[1] ?? "").toLowerCase();
}

/** Hands out turns to talk to hosts. */
export class TransferLimits {
  readonly #all: Slots;
  readonly #hosts = new Map<string, Slots>();
  readonly #perHost: number;

  /** `jobs` is what the caller asked for, or null for the defaults. */
  constructor(jobs: number | null) {
    this.#all = new Slots(jobs ?? TRANSFERS);
    this.#perHost = Math.min(jobs ?? PER_HOST, PER_HOST);
  }

  /** Does work that talks to the host of a URL when it is its turn. */
  turn<T>(url: string, work: () => Promise<T>): Promise<T> {
    const host = hostOf(url);
    const slots = this.#hosts.get(host) ?? new Slots(this.#perHost);
    this.#hosts.set(host, slots);
    // Waiting for a host's slot happens before a common slot is taken, so that one slow host cannot block the others.
    return slots.turn(() => this.#all.turn(work));
  }
}
