/**
 * Keeps a shard from asking a git host for more than its part of what the host allows (PLAN-4).
 *
 * @module
 */

import { AmofError } from "../../error.ts";
import { hostOf } from "../../git/mod.ts";
import type { Clock } from "../../system/mod.ts";
import type { Budget } from "../plan/plan.ts";

/** How long is waited after a host refused for its rate: this, twice this, four times this, in milliseconds. */
const FIRST_WAIT_MS = 30_000;
const MOST_WAIT_MS = 600_000;
const WAITS = 3;
const MINUTE_MS = 60_000;

/** How hosts and ssh servers say that they are asked too often. */
const TOO_OFTEN =
  /requested url returned error: (?:429|503)|rate limit|too many (?:requests|connections)|kex_exchange_identification|connection reset by peer/i;

/** Whether a failure is a host's word that it was asked too often. */
function isTooOften(error: unknown): error is AmofError {
  return error instanceof AmofError &&
    TOO_OFTEN.test(`${error.message} ${JSON.stringify(error.details)}`);
}

/** A host that may be asked so many times a minute; what was not used is kept for a minute. */
interface Bucket {
  readonly perMinute: number;
  tokens: number;
  at: number;
}

/** Hands out turns to ask hosts. */
export class Budgets {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #chance: () => number;
  readonly #buckets: Map<string, Bucket>;

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
    const at = clock.now();
    this.#buckets = new Map(
      budgets.map(({ host, perMinute }) => [host, { perMinute, tokens: perMinute, at }]),
    );
  }

  /** Does work that asks the host of a URL, when it may; again after a wait where the host was asked too often. */
  async turn<T>(url: string, work: () => Promise<T>): Promise<T> {
    for (let tries = 0;; tries++) {
      await this.#wait(this.#buckets.get(hostOf(url)));
      try {
        return await work();
      } catch (error) {
        if (!isTooOften(error) || tries >= WAITS || this.#signal.aborted) throw error;
        const most = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
        await this.#clock.sleep(most / 2 + most / 2 * this.#chance(), this.#signal);
      }
    }
  }

  async #wait(bucket: Bucket | undefined): Promise<void> {
    if (bucket === undefined) return;
    const now = this.#clock.now();
    const gained = (now - bucket.at) / MINUTE_MS * bucket.perMinute;
    bucket.tokens = Math.min(bucket.perMinute, bucket.tokens + gained) - 1;
    bucket.at = now;
    if (bucket.tokens >= 0) return;
    await this.#clock.sleep(-bucket.tokens / bucket.perMinute * MINUTE_MS, this.#signal);
  }
}
