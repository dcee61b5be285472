/** What `amof ticket conflicts` answers (TICKET-10). */

import type { Unread } from "../../../workspace/clones/changing.ts";
import type { Landing } from "./order.ts";

/** A file that two sides changed so that git cannot bring both together. */
export interface ConflictingFile {
  readonly repo: string;
  readonly path: string;
  readonly kind: string;
}

/** Two sides that do not go together, or of which it is not known. */
export interface ConflictPair {
  readonly a: string;
  /** Null for the base branches of `a`. */
  readonly b: string | null;
  /** `conflict` where a file conflicts anywhere, else `unknown`: at least one repository could not tell. */
  readonly state: "conflict" | "unknown";
  readonly files: readonly ConflictingFile[];
  readonly unknown: readonly { readonly repo: string; readonly reason: string }[];
}

/** The answer. */
export interface ConflictsData {
  readonly tickets: readonly string[];
  /** Pairs that do not go together or are not known; all others do. */
  readonly pairs: readonly ConflictPair[];
  /** How many pairs were compared, those with base branches among them. */
  readonly compared: number;
  readonly order: readonly Landing[];
  /** How many repositories were read, and how many merges git tried in them. */
  readonly repos_read: number;
  readonly merges: number;
  /** Uncommitted work of any ticket: the repositories in which it counts, and where it does not. */
  readonly uncommitted: {
    readonly counted: readonly string[];
    readonly left: readonly {
      readonly ticket_id: string;
      readonly repo: string;
      readonly reason: string;
    }[];
  };
  readonly unread: readonly Unread[];
  /** Tickets with a workspace of their own whose record cannot be used: they were not compared. */
  readonly unreadable: readonly { readonly ticket_id: string; readonly reason: string }[];
}
