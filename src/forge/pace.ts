/**
 * Asks no host more often than it takes: what writes goes one by one, and a host that wants to be left alone is.
 *
 * @module
 */

import { Slots } from "../base/async/slots.ts";
import type { Clock } from "../base/system/mod.ts";
import { limited, limitOf, PATIENCE_MS } from "./errors.ts";
import type { ForgeAnswer, ForgeRequest, ForgeTransport } from "./port.ts";

/** How many questions one host gets at once. */
const AT_ONCE = 8;
/** So many changes may follow each other at once; from then on one each second, as forges ask for. */
const BURST = 10;
const PAUSE_MS = 1_000;

/** A way to a host that keeps to its limits; throws `forge_limited` where waiting would take more than a minute. */
export class Paced implements ForgeTransport {
  readonly #way: ForgeTransport;
  readonly #clock: Clock;
  readonly #host: string;
  readonly #signal: AbortSignal;
  readonly #reading = new Slots(AT_ONCE);
  readonly #writing = new Slots(1);
  #written = 0;

  constructor(
    way: ForgeTransport,
    { clock, host, signal }: {
      readonly clock: Clock;
      readonly host: string;
      readonly signal: AbortSignal;
    },
  ) {
    this.#way = way;
    this.#clock = clock;
    this.#host = host;
    this.#signal = signal;
  }

  call(request: ForgeRequest): Promise<ForgeAnswer> {
    if (request.method === "GET") return this.#reading.turn(() => this.#patiently(request));
    return this.#writing.turn(async () => {
      if (++this.#written > BURST) await this.#clock.sleep(PAUSE_MS, this.#signal);
      return await this.#patiently(request);
    });
  }

  /** Asks, and once more where the host says how long it wants to be left alone, and that is not long. */
  async #patiently(request: ForgeRequest): Promise<ForgeAnswer> {
    const answer = await this.#way.call(request);
    const wait = limitOf(answer, this.#clock.now());
    if (wait === null) return answer;
    if (wait <= PATIENCE_MS && !this.#signal.aborted) {
      await this.#clock.sleep(wait, this.#signal);
      const again = await this.#way.call(request);
      const still = limitOf(again, this.#clock.now());
      if (still === null) return again;
      throw limited(this.#host, still, this.#clock.now());
    }
    throw limited(this.#host, wait, this.#clock.now());
  }
}
