// Types of the one function used from @std/async/pool; the npm build ships none.

/** Maps items concurrently, at most `limit` at a time, yielding results in input order. */
export function pooledMap<T, R>(
  limit: number,
  items: Iterable<T> | AsyncIterable<T>,
  map: (item: T) => Promise<R>,
): AsyncIterableIterator<R>;
