/** Bounded parallel work: over many things, answered in their order (EXIT-4), and turns at what is shared. */

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

/**
 * Maps items at most `limit` at a time; results keep the order of the items. When work throws, no further
 * item is begun, those under way are waited for, and the failure of the earliest item is thrown.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { inPool } from "./pool.ts";
 *
 * const lengths = await inPool(2, ["api", "docs"], (name) => Promise.resolve(name.length));
 * assertEquals(lengths, [3, 4]);
 * ```
 */
export async function inPool<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const failures = new Map<number, unknown>();
  const rest = items.entries();
  const worker = async (): Promise<void> => {
    // All workers take from the same iterator, so that each item is worked on once.
    for (const [index, item] of rest) {
      try {
        results[index] = await work(item);
      } catch (error) {
        failures.set(index, error);
      }
      if (failures.size > 0) return;
    }
  };
  const workers = Math.min(Math.max(1, limit), items.length);
  await Promise.all(Array.from({ length: workers }, worker));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return results;
}

// Long computations in pieces, so that whoever shares the process has a turn between them.

/** A computation that stops behind every item it has dealt with, and answers in the end. */
export type Pieces<T> = Generator<void, T>;

/** Where a computation stops: others have their turn there, or it throws because nobody waits for the answer. */
export type Pause = () => Promise<void>;

/** So many items are dealt with between two pauses. */
export const ITEMS_PER_TURN = 256;

/** Carries a computation out without a pause. */
export function atOnce<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

/** Carries a computation out with a pause behind every {@linkcode ITEMS_PER_TURN} items, and one before the first. */
export async function inPieces<T>(pieces: Pieces<T>, pause: Pause): Promise<T> {
  for (let item = 0;; item++) {
    if (item % ITEMS_PER_TURN === 0) await pause();
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}
