/** Who has the terminal: this program, or one that was lent it (BOX-6). */

/**
 * How long after a program's end an interrupt is still taken for its own. Both get Ctrl-C at once, but the end of a
 * program that obeys can be heard of before it; and nobody who sees the end types within this time.
 */
const LATE_MS = 500;

/** A terminal that is lent to programs. `now` answers milliseconds that only rise. */
export class Loan {
  readonly #now: () => number;
  #borrowers = 0;
  #returned = Number.NEGATIVE_INFINITY;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Does work for which a program has the terminal. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#borrowers++;
    try {
      return await work();
    } finally {
      this.#borrowers--;
      this.#returned = this.#now();
    }
  }

  /** Whether what is typed now, or was a moment ago, is for a program that has the terminal. */
  isOut(): boolean {
    return this.#borrowers > 0 || this.#now() - this.#returned < LATE_MS;
  }
}
