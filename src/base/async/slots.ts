/** Turns for those who share something that only so many may use at once. */

/** A number of places for work; the rest waits in line. With one place, everybody waits for whoever came before. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Does work when there is a place for it. A place becomes free however the work in it ended. */
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
