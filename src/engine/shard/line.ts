/** The lines by which a shard tells what it does: JSON, one object each (SHARD-3). */

/** What became of what a program changed (SHARD-7). */
export type ShardChange =
  /** `note` says what stayed there nevertheless. */
  | { readonly made: "nothing"; readonly note?: string }
  /** Its paths, or their number, keep it there; `why` says which. */
  | { readonly made: "held_back" | "too_large"; readonly why: string }
  | {
    readonly made: "commit";
    readonly commit: string;
    /** Of its pack, hexadecimal, as those of its pieces name it. */
    readonly sha256: string;
    readonly bytes: number;
  }
  /** Commits on the one that was agreed to, the last one of `commit`, in one pack (SHARD-8). */
  | {
    readonly made: "commits";
    readonly commit: string;
    readonly sha256: string;
    readonly bytes: number;
    /** What did not come along as it was; empty where everything did. */
    readonly note: string;
  }
  /** git cannot read what the program has left there; `why` says more. */
  | { readonly made: "unreadable"; readonly why: string };

/** A piece of something that is sent home. */
export interface Piece {
  /** Of the whole, hexadecimal. */
  readonly sha256: string;
  /** From 0. */
  readonly n: number;
  /** How many pieces there are. */
  readonly of: number;
  /** Bytes as base64. */
  readonly data: string;
}

/** How the work on one item ended; `deferred` where its host takes no more requests for now. */
export interface ItemEnd {
  /** Its number in the plan. */
  readonly i: number;
  readonly repo: string;
  readonly state:
    | "ok"
    | "failed"
    | "timed_out"
    | "refused"
    | "unreachable"
    | "deferred"
    | "cancelled";
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly seconds: number;
  /** Why it could not be worked on, or could not be started; null where it was. */
  readonly why: string | null;
  /** The commit it was done on; null where there was none. */
  readonly commit: string | null;
  /** Last lines, masked. */
  readonly tail: readonly string[];
  /** What became of what it changed; absent where nothing of it is kept. */
  readonly change?: ShardChange;
}

/** What a line says. */
export type LineContent =
  | {
    readonly type: "start";
    readonly plan: string;
    readonly version: string;
    readonly node: string;
  }
  | { readonly type: "begin"; readonly i: number; readonly repo: string }
  | ({ readonly type: "item" } & ItemEnd)
  | ({ readonly type: "piece"; readonly i: number; readonly repo: string } & Piece)
  | {
    readonly type: "log";
    readonly i: number;
    readonly repo: string;
    readonly stream: "stdout" | "stderr";
    readonly text: string;
  }
  /** Nothing was begun. */
  | { readonly type: "refused"; readonly why: string }
  | {
    readonly type: "end";
    readonly exit: number;
    /** Over all lines before it, hexadecimal: whether nothing is missing. */
    readonly sha256: string;
  };

/** A line with where it stands. */
export type ShardLine = LineContent & {
  readonly amof: 1;
  readonly run: string;
  readonly shard: number;
  /** Which of the starts of the shard: random, so that two that run at once are told apart. */
  readonly attempt: string;
  /** From 0, without gaps. */
  readonly seq: number;
};

/** What stands before the reason why a node that makes no box has run nothing. */
export const NO_BOX = "this node makes no box: ";

/** No line is longer, in bytes: what is shorter is written at once and never split by who collects it. */
export const MOST_BYTES = 4_000;
