// Types of the one function used from @std/text; the npm build ships none.

/** The number of single-character edits that turn one text into the other. */
export function levenshteinDistance(a: string, b: string): number;
