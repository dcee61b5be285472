/** What `amof ticket move` answers, either way (MOVE-1). */

import { cleanLine } from "../../../base/text/sanitize.ts";
import { few } from "../../../base/text/words.ts";

/** A stash of a person: it goes along where the clone goes, and stays where the clone does. */
interface MovedStash {
  /** As git lists it, such as `On feature/T-1: half done`. */
  readonly name: string;
  /** `moved` into the base workspace, or `stays` there. */
  readonly now: "moved" | "stays";
}

/** The names of stashes in a sentence, each as git lists it. */
export function stashNames(names: readonly string[]): string {
  return few(names.map((name) => `"${cleanLine(name, 80)}"`), 5);
}

/** What became of a ticket that was moved, either way. */
export interface MoveData {
  readonly ticket_id: string;
  /** `workspace` where it has one of its own now, `in_place` where it is worked on in the base workspace. */
  readonly to: "workspace" | "in_place";
  /** Its own workspace, there now or before, relative to the control repository. */
  readonly workspace: string;
  /** Of the base workspace. */
  readonly active_ticket: string | null;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    readonly commit: string;
    /** Uncommitted work: `moved` along, `kept` as a stash, or `none`. */
    readonly changes: "moved" | "kept" | "none";
    /** What people have stashed there themselves, newest first, as git lists it. */
    readonly stashes: readonly MovedStash[];
  }[];
  readonly notes: readonly string[];
  /** What could not be deleted, or null. */
  readonly left: string | null;
}
