/**
 * Which candidates the place allows that is being typed: words, flags, or values of a flag or an argument.
 *
 * Knows no command line of its own: a {@linkcode Grammar} says what there is.
 */

import type { FlagSpec } from "../../../pipeline/line/flags.ts";
import type { Worded } from "../../../pipeline/line/words.ts";

/** Something that can stand at the place, and what it means. */
export interface Candidate {
  readonly value: string;
  readonly help: string;
}

/** A flag or an argument. */
export interface Slot extends FlagSpec {
  /** What its values are called where they are looked up; absent for a closed set and for free text. */
  readonly source?: string;
  /** Whether it may be given more than once. */
  readonly repeats?: boolean;
  /** Whether one value may be a list with commas. */
  readonly commas?: boolean;
}

/** The flags and arguments of one command. */
export interface Slots {
  readonly flags: readonly Slot[];
  readonly positionals: readonly Slot[];
  /** What is asked of its answer: the first values of every slot for fields. */
  readonly fields?: readonly string[];
}

/** What can be said on a command line. */
export interface Grammar {
  /** Everything with words. */
  readonly entries: readonly (Worded & { readonly summary: string })[];
  /** The flags of all commands. */
  readonly flags: readonly Slot[];
  /** What the command with exactly these words has besides. */
  readonly own: (words: readonly string[]) => Promise<Slots>;
}

/** Looks up the values of a slot; `given` are the flags of the line by name, `typed` is what is there of the value. */
export type LookUp = (
  slot: Slot,
  given: ReadonlyMap<string, string>,
  typed: string,
) => Promise<readonly Candidate[]>;
