/** What a command answers, and what a mutation says before it does anything. */

import type { AmofError } from "../base/error.ts";
import type { Details } from "../base/text/parts.ts";

/** What a command answers. `failure` makes the answer an error that still carries its data. */
export interface Result<D extends object> {
  readonly data: D;
  readonly failure?: AmofError;
}

/** What a result looks like to a reader. */
export interface Rendered {
  /** One sentence of at most 80 characters that begins with its outcome (ANSWER-3). */
  readonly summary: string;
  /** Tables and lists, without colours; each door lays them out. */
  readonly details?: Details;
  /** What the answer does not cover: stands behind the details, or beside those that are bare. */
  readonly notes?: Details;
  /** What its command declares as `bare`, where only this answer is so. */
  readonly bare?: "value";
}

/** How a door says what depends on who reads it. */
export interface Wording {
  /** A moment: as JSON has it for programs, local and as far as possible relative for a person; "-" for null. */
  readonly time: (at: string | null) => string;
  /** The time of day of a line in a log, with milliseconds. */
  readonly clock: (at: string) => string;
  /** Whether the reader was shown what programs printed while they ran. */
  readonly watched: boolean;
}

/** What a mutation is about, where that is no ecosystem, run or release. */
interface Subject {
  /** With its kind: "supplier ACME". */
  readonly name: string;
  /**
   * What a person types where a name has to be typed, and what that is: "supplier code". The name of the ecosystem
   * when absent.
   */
  readonly typed?: { readonly what: string; readonly value: string };
}

/** What undoing could bring back of a mutation (UNDO-7). One of both is said. */
export interface UndoOutlook {
  /** "branches and tags in api and web"; null where nothing comes back. */
  readonly brings_back: string | null;
  /** What stays as the work leaves it, with what to do instead behind a semicolon; null where all of it comes back. */
  readonly cannot: string | null;
}

/** What a mutation would do, computed without changing anything. */
export interface Preview<F extends object, D extends object> {
  /** Everything the confirmation is bound to, and what the answer shows. */
  readonly facts: F;
  /** What it is done to; the ecosystem, run or release of the call when absent. */
  readonly subject?: Subject;
  /** "Would push 2 repos." */
  readonly summary: string;
  /** What would happen, one line each. */
  readonly effects: readonly string[];
  /** The effects as a table or list for readers; the effects themselves when absent. */
  readonly details?: Details;
  /** What cannot be undone, for the ⚠ line. */
  readonly irreversible?: string;
  /** What undoing could bring back: the pipeline finds out, where there is something to do. */
  readonly undo?: UndoOutlook;
  /** How things stand now, one sentence. */
  readonly current: string;
  /** Set where what the preview found asks for a typed name, whatever the call asks for: the only copy of work would go. */
  readonly confirm?: "type";
  /** What consent is asked for, where the declaration (`asks.will`) cannot say it: "delete 2 branches". */
  readonly will?: string;
  /** What could be done instead, one line each. */
  readonly alternatives: readonly string[];
  /** Set when there is nothing to do or everything is refused: answered at once, without confirmation (CONFIRM-3). */
  readonly settled?: Result<D>;
}
