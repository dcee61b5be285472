/**
 * Changes of one server happen one after the other (PACK-48); those of other processes are kept
 * apart by the lock of the home.
 *
 * @module
 */

/** A queue of things to do. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Does something when everything before it has ended, however it ended. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}
