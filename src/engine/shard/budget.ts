/**
 * Keeps a shard within its part of what a git host allows. Besides, it keeps the shard away from a host that
 * says that it was asked too often (PLAN-4, PLAN-5).
 */

import { AmofError } from "../../base/error.ts";
import { hostOf } from "../../git/mod.ts";
import type { Clock, Files } from "../../base/system/mod.ts";
import type { Budget } from "../plan/plan.ts";

/** What was said. */
export interface Talk {
  /** How many requests git made. */
  readonly requests: number;
  /** For how long the host asks to be left alone, in milliseconds; null where it does not say that. */
  readonly retryAfterMs: number | null;
}

/** More of what git writes is not read. */
const MOST = 4 * 1024 * 1024;

const REQUEST = /=> Send header: (?:GET|POST|HEAD) /;

const RETRY_AFTER = /<= Recv header: retry-after: *(.{1,60}?)\s*$/i;

/** The wait that a header asks for, in milliseconds: seconds, or a date. Null for anything else. */
function waitOf(value: string, now: number): number | null {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Reads what git wrote of a talk. */
export function talkIn(text: string, now: number): Talk {
  let requests = 0;
  let retryAfterMs: number | null = null;
  for (const line of text.split("\n")) {
    if (REQUEST.test(line)) requests++;
    const value = RETRY_AFTER.exec(line)?.[1];
    if (value !== undefined) retryAfterMs = waitOf(value, now) ?? retryAfterMs;
  }
  return { requests, retryAfterMs };
}

/** What was said until now, of the file of `overheard` of git; null where nobody spoke over HTTP. */
export async function heard(
  { files, clock }: { readonly files: Files; readonly clock: Clock },
  file: string,
): Promise<Talk | null> {
  const bytes = await files.readPiece(file, 0, MOST);
  return bytes === null ? null : talkIn(new TextDecoder().decode(bytes), clock.now());
}

/** How long is waited after a host refused for its rate: this, twice this, four times this, in milliseconds. */
const FIRST_WAIT_MS = 30_000;
/** A host that asks for a longer wait is not asked again. */
const MOST_WAIT_MS = 600_000;
/** After so many waits without one answer in between a host is not asked again. */
const WAITS = 3;
const MINUTE_MS = 60_000;
/** How many requests git makes to clone over HTTP; the connection of another protocol is worth as much. */
const REQUESTS = 3;

/** The answer where nobody reads what git and a host print. */
const NOT_HEARD = () => Promise.resolve(null);

/** How hosts and ssh servers say that they are asked too often. */
const TOO_OFTEN =
  /requested url returned error: (?:429|503)|rate limit|too many (?:requests|connections)|kex_exchange_identification|connection reset by peer/i;

/** Whether a failure is a host's word that it was asked too often. */
export function isTooOften(error: unknown): error is AmofError {
  return error instanceof AmofError &&
    TOO_OFTEN.test(`${error.message} ${JSON.stringify(error.details)}`);
}

interface Host {
  /** Requests in a minute; infinite where nothing limits it. */
  readonly perMinute: number;
  /** Requests that may be made at once; below 0 for those that were made too early. */
  tokens: number;
  /** When the tokens were counted. */
  at: number;
  /** Before this it is not asked again; infinite for never. */
  closedUntil: number;
  /** How often it refused since it last answered. */
  refusals: number;
  /** How often it was closed, ever. */
  closings: number;
  /** What it said when it refused last. */
  said: AmofError | null;
}

/** Hands out turns to ask hosts. */
export class Budgets {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #chance: () => number;
  readonly #hosts: Map<string, Host>;

  /** `chance` is a number from 0 to 1, so that shards that were refused together do not come back together. */
  constructor(
    budgets: readonly Budget[],
    { clock, signal, chance }: {
      readonly clock: Clock;
      readonly signal: AbortSignal;
      readonly chance: () => number;
    },
  ) {
    this.#clock = clock;
    this.#signal = signal;
    this.#chance = chance;
    this.#hosts = new Map(budgets.map(({ host, perMinute }) => [host, this.#open(perMinute)]));
  }

  #open(perMinute: number): Host {
    // The budget starts empty: shards that begin together would spend a full one at once.
    const now = this.#clock.now();
    const never = { closedUntil: 0, refusals: 0, closings: 0, said: null };
    return { perMinute, tokens: 0, at: now, ...never };
  }

  #of(url: string): Host {
    const name = hostOf(url);
    const host = this.#hosts.get(name) ?? this.#open(Infinity);
    this.#hosts.set(name, host);
    return host;
  }

  /** For how long the host of a URL is to be left alone, in milliseconds; infinite where it is not asked again. */
  closedFor(url: string): number {
    return Math.max(0, this.#of(url).closedUntil - this.#clock.now());
  }

  /**
   * Does work that asks the host of a URL, when it may; again after each wait where the host was asked too often. Several
   * may ask at once. Throws what the host said last where it is not asked again. `talk` tells what was said.
   */
  async turn<T>(
    url: string,
    work: () => Promise<T>,
    talk: () => Promise<Talk | null> = NOT_HEARD,
  ): Promise<T> {
    const host = this.#of(url);
    for (;;) {
      const wait = this.closedFor(url);
      if (wait === Infinity && host.said !== null) throw host.said;
      if (wait > 0) {
        await this.#clock.sleep(wait, this.#signal);
        // A request that waited beside this one may have been refused meanwhile.
        if (this.closedFor(url) > 0 && !this.#signal.aborted) continue;
      }
      try {
        return await this.once(url, work, talk);
      } catch (error) {
        if (!isTooOften(error) || this.#signal.aborted) throw error;
      }
    }
  }

  /**
   * Does work that asks the host of a URL, when it may. Throws what the work throws; where that is the host's word that
   * it was asked too often ({@linkcode isTooOften}), the host is closed for a while. `talk` tells what was said.
   */
  async once<T>(url: string, work: () => Promise<T>, talk: () => Promise<Talk | null>): Promise<T> {
    const host = this.#of(url);
    await this.#wait(host);
    const { closings } = host;
    try {
      const done = await work();
      // An answer to a request from before the host was closed says nothing about the host now.
      if (host.closings === closings) {
        host.refusals = 0;
        host.closedUntil = 0;
      }
      return done;
    } catch (error) {
      if (isTooOften(error)) {
        host.said = error;
        this.#close(host, (await talk())?.retryAfterMs ?? null, host.closings > closings);
      }
      throw error;
    } finally {
      host.tokens -= Math.max(0, ((await talk())?.requests ?? 0) - REQUESTS);
    }
  }

  /** Closes a host; those that were asked at once are refused at once, and count as one. */
  #close(host: Host, asked: number | null, isClosed: boolean): void {
    const refusals = isClosed ? Math.max(0, host.refusals - 1) : host.refusals;
    const own = FIRST_WAIT_MS * 2 ** refusals;
    // A host that asks for a moment, and refuses again behind it, means a longer one.
    const least = asked === null ? own / 2 : Math.max(asked, Math.min(own, asked * 2 ** refusals));
    host.refusals = refusals + 1;
    host.closings++;
    const isOver = host.refusals > WAITS || least > MOST_WAIT_MS;
    // The wait is never shorter than the host asked for.
    const spread = asked === null ? least : Math.max(least / 4, 1_000);
    const until = isOver ? Infinity : this.#clock.now() + least + spread * this.#chance();
    host.closedUntil = Math.max(isClosed ? host.closedUntil : 0, until);
  }

  async #wait(host: Host): Promise<void> {
    if (host.perMinute === Infinity) return;
    const now = this.#clock.now();
    const gained = (now - host.at) / MINUTE_MS * host.perMinute;
    host.tokens = Math.min(REQUESTS, host.tokens + gained) - REQUESTS;
    host.at = now;
    if (host.tokens >= 0) return;
    await this.#clock.sleep(-host.tokens / host.perMinute * MINUTE_MS, this.#signal);
  }
}
