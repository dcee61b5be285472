/**
 * Bounded parallel work over many repositories, answered in their order (EXIT-4).
 *
 * @module
 */

import { pooledMap } from "@std/async/pool";

/**
 * Maps items at most `limit` at a time; results keep the order of the items. When work throws, no further
 * item is begun, those under way are waited for, and the failure of the earliest item is thrown.
 */
export async function inPool<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  try {
    return await Array.fromAsync(pooledMap(Math.max(1, limit), items, work));
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

/** How many local git processes run at once: they wait for the disk as much as for a processor. */
export function localJobs(cpus: number): number {
  return Math.min(32, Math.max(4, cpus * 2));
}
