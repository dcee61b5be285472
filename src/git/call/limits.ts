/** Work that talks to other machines: its limits in all and per host, and second tries (WORKSPACE-15). */

import { Slots } from "../../base/async/pool.ts";
import { AmofError } from "../../base/error.ts";
import type { Clock } from "../../base/system/mod.ts";

/** Waits before the second, third and fourth try, in milliseconds. */
const DELAYS_MS = [1_000, 2_000, 4_000];

/** Whether a failure is one of the connection, which a later try may not meet. */
function isNetworkFailure(error: unknown): boolean {
  // An unknown host key or certificate also counts as unreachable, but trying again does not help.
  return error instanceof AmofError && error.code === "remote_unreachable" &&
    (error.details["kind"] ?? "network") === "network";
}

/**
 * Does work, and again after 1, 2 and 4 seconds while the network fails; any other failure is thrown at once. What the
 * signal ends while it waits or tries again is the failure that it had.
 */
export async function withRetries<T>(
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<T>,
  onRetry: (error: AmofError, delayMs: number) => void,
): Promise<T> {
  let before: unknown;
  for (const delay of [...DELAYS_MS, null]) {
    try {
      return await work();
    } catch (error) {
      // A try that was ended tells nothing; the one before it does.
      if (signal.aborted && before !== undefined) throw before;
      if (delay === null || !isNetworkFailure(error) || signal.aborted) throw error;
      before = error;
      onRetry(error as AmofError, delay);
      await clock.sleep(delay, signal);
      if (signal.aborted) throw error;
    }
  }
  throw before;
}

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
