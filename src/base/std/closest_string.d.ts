// Types of the one function used from @std/text; the npm build ships none.

/** The candidate nearest to `word` by edit distance. */
export function closestString(
  word: string,
  candidates: readonly string[],
  options?: {
    readonly caseSensitive?: boolean;
    readonly compareFn?: (a: string, b: string) => number;
  },
): string;
