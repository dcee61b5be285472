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
