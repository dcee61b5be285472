/**
 * Limits for work that talks to other machines: in all, and per host (WORKSPACE-15).
 *
 * @module
 */

/** How many transfers run at once in all. */
const TRANSFERS = 8;
/** How many transfers one host gets at once. */
const PER_HOST = 4;

/** A number of places for work; the rest waits in line. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Does work when there is a place for it. */
  async turn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
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
