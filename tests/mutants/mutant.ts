/**
 * What a mutant is: a small break of the program that the tests must notice.
 *
 * @module
 */

/** One break. */
export interface Mutant {
  /** Lower case, words joined by `-`; nothing else has it. */
  readonly id: string;
  /** Relative to the root of the project. */
  readonly file: string;
  /** A text that stands in the file exactly once. */
  readonly find: string;
  /** What stands there in its place when the program is broken. */
  readonly replace: string;
  /** What would go wrong, in one sentence. */
  readonly harm: string;
  /** Test files that most likely notice, cheapest first; relative to the root. */
  readonly tests: readonly string[];
}

/** How often a text stands in another. */
export function occurrences(text: string, find: string): number {
  return find === "" ? 0 : text.split(find).length - 1;
}

/** A text with breaks applied, each where its `find` stands; throws where one of them is not there exactly once. */
export function broken(text: string, mutants: readonly Mutant[]): string {
  return mutants.reduce((now, { id, file, find, replace }) => {
    if (occurrences(now, find) !== 1) {
      throw new Error(`${id}: its text stands ${occurrences(now, find)} times in ${file}`);
    }
    return now.replace(find, () => replace);
  }, text);
}
