/**
 * What `amof ticket move` answers, either way (MOVE-1).
 *
 * @module
 */

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
  }[];
  readonly notes: readonly string[];
  /** What could not be deleted, or null. */
  readonly left: string | null;
}
