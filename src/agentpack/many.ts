/**
 * The same work on many files at once.
 *
 * @module
 */

/** How many files are worked on at once. */
const WORKERS = 32;

/**
 * Maps items concurrently; results keep the order of the items. When work throws, no further item is begun,
 * those under way are waited for, and the first failure is thrown.
 *
 * For thousands of short operations; the streams behind `inPool` of `git/` cost more than each of them.
 */
export async function forMany<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (failures.length === 0 && next < items.length) {
      const index = next++;
      const item = items[index];
      if (item === undefined) continue;
      try {
        results[index] = await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(WORKERS, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
