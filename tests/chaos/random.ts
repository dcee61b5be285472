/**
 * Chance that can be had again: the same seed gives the same choices.
 *
 * @module
 */

/** A sequence of choices. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to, and without, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 up to, and without, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** One of a list that is not empty. */
  one<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new TypeError("Cannot choose from nothing");
    return chosen;
  }

  /** Another sequence that depends on this one. */
  fork(): Random {
    return new Random(this.below(4_294_967_296));
  }

  /** The list in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const rest = [...list];
    const shuffled: T[] = [];
    while (rest.length > 0) shuffled.push(...rest.splice(this.below(rest.length), 1));
    return shuffled;
  }
}
