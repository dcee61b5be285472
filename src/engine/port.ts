/** What an engine can do for this program, whichever it is: run one plan as an array of shards (ENGINE-1). */

import type { EngineKind } from "../state/settings/mod.ts";
import type { Profile } from "./profile.ts";
import type { ShardLine } from "./shard/line.ts";

/** What is sent once. */
export interface Submission {
  /** The id of the run, which is the name of the array on the engine as well. */
  readonly run: string;
  readonly profile: Profile;
  /** The sealed plan: an absolute path on this machine, and the hash that shards are told. */
  readonly plan: { readonly path: string; readonly sha256: string };
  /** The fingerprint of the key the plan is signed with (PLAN-2). */
  readonly key: string;
  /** Indexes 0 … shards − 1. */
  readonly shards: number;
  /** Where the engine may keep what it needs on this machine, absolute. */
  readonly directory: string;
}

/** Where an array is: enough to find it from another process. */
export interface Handle {
  readonly engine: EngineKind;
  /** What the engine calls it. */
  readonly ref: string;
}

/** How one shard stands; the last three never change any more. */
export type ShardState = "waiting" | "running" | "succeeded" | "failed" | "cancelled";

/** Why a shard stands so, where its state does not say it. */
export type ShardReason =
  | "exit"
  | "timeout"
  | "memory"
  | "evicted"
  | "node"
  | "vanished"
  | "waits"
  /** The engine will never begin it. */
  | "unstartable";

/** One shard as the engine sees it. */
export interface ShardView {
  readonly index: number;
  readonly state: ShardState;
  readonly reason: ShardReason | null;
  readonly exitCode: number | null;
  /** Where it runs or ran, or null. */
  readonly node: string | null;
  /** The engine's own word for why it waits, or was never begun, or null. */
  readonly note: string | null;
}

/** What an engine has, and whether it may be used. */
export interface Limits {
  /** The largest number of shards of one array. */
  readonly shards: number;
  /** The longest plan, compressed, in bytes; absent where it may be as long as it likes. */
  readonly planBytes?: number;
  /** What is there, for people: `Slurm 22.05.8, 3 nodes, 12 processors`. */
  readonly found: string;
  /** What keeps it from being used, each with what to do; empty where nothing does. */
  readonly problems: readonly { readonly message: string; readonly fix: string }[];
}

/** How a cancellation ended. */
export interface Cancelled {
  /** Whether it is sure that nothing of the array runs any more. */
  readonly confirmed: boolean;
  /** Nodes that could not be asked. */
  readonly unreachable: readonly string[];
  /** What shards told while they were ended, where the engine keeps nothing of it. */
  readonly told: readonly ShardLine[];
}

/** What shards have told since it was last asked. */
export interface Collector {
  next(): AsyncIterable<ShardLine>;
}

/**
 * An engine. Every call may be repeated: who crashed in between repeats it. Calls that cannot reach the engine throw
 * `engine_unavailable`.
 */
export interface Engine {
  /** Looks whether it is there and may be used, and how much it takes. Changes nothing but a file it tries to write. */
  probe(profile: Profile): Promise<Limits>;
  /** Brings everything there, so that nothing runs yet. Throws `engine_conflict` where another array has the name. */
  prepare(submission: Submission): Promise<Handle>;
  /** Lets it run. */
  start(submission: Submission, handle: Handle): Promise<void>;
  /** The array of a submission, or null where the engine knows none. */
  find(submission: Submission): Promise<Handle | null>;
  /**
   * How all shards stand, again and again until all are final or the signal aborts. Shards that the engine has
   * forgotten are judged by what they left.
   */
  watch(
    submission: Submission,
    handle: Handle,
    signal: AbortSignal,
  ): AsyncIterable<readonly ShardView[]>;
  /** Reads what shards tell, of all their starts. Who asks for a new one reads everything again. */
  collect(submission: Submission): Collector;
  /** Ends everything of the array that waits or runs, and waits for that. */
  cancel(submission: Submission, handle: Handle): Promise<Cancelled>;
  /** Removes what the engine keeps of an array that is over and collected. */
  remove(submission: Submission, handle: Handle): Promise<void>;
}

/** Whether a shard is over. */
export function isFinal({ state }: Pick<ShardView, "state">): boolean {
  return state === "succeeded" || state === "failed" || state === "cancelled";
}
