/** What can be said on a command line, as completion sees it. */

import type { FlagSpec } from "./flags.ts";
import type { Worded } from "./words.ts";

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

/** A flag that all commands have, as a slot. */
export function globalSlot(flag: FlagSpec): Slot {
  if (flag.value === "DIR" || flag.value === "PATH") return { ...flag, source: "directory" };
  if (flag.optional !== undefined) return { ...flag, source: "field", commas: true };
  return flag.name === "ecosystem" ? { ...flag, source: "ecosystem" } : flag;
}
