/**
 * How it ended in each repository of an array, from what shards told and what their engine says of them (ENGINE-10).
 */

import type { ArrayEnd, ItemEnd, ShardView, SubmissionRecord } from "../../../engine/mod.ts";
import type { ExecPlace } from "../facts.ts";
import type { ExecRow } from "../answer.ts";

const EMPTY = {
  exit_code: null,
  signal: null,
  seconds: 0,
  layer: null,
  start_error: null,
  last_line: null,
  tail: [],
  because: null,
} as const;

function notBegun(place: ExecPlace, reason: NonNullable<ExecRow["because"]>["reason"]): ExecRow {
  return { ...EMPTY, name: place.name, outcome: "not_started", because: { reason, repo: null } };
}

/** How an item ended that a shard told of. */
export function shardRow({ name }: ExecPlace, end: ItemEnd): ExecRow {
  return {
    ...EMPTY,
    name,
    outcome: end.state,
    exit_code: end.exit_code,
    signal: end.signal,
    seconds: end.seconds,
    last_line: end.why ?? end.tail.at(-1) ?? null,
    tail: end.state === "ok" ? [] : end.tail,
  };
}

/** What a shard's end means for an item of it that was begun, or not, and told no end. */
const LOST: Readonly<Record<NonNullable<ShardView["reason"]>, ExecRow["outcome"]>> = {
  exit: "unknown",
  timeout: "timed_out",
  memory: "out_of_memory",
  evicted: "evicted",
  node: "node_lost",
  vanished: "unknown",
  waits: "unknown",
  unstartable: "not_started",
};

/** Why an engine has asked a shard to end. */
const ENDED: Partial<typeof LOST> = {
  timeout: LOST.timeout,
  memory: LOST.memory,
  evicted: LOST.evicted,
  node: LOST.node,
};

/** The signals by which engines end what runs. */
const ENDING = new Set(["SIGTERM", "SIGKILL"]);

/** What came of an item that a shard told of, with what the engine says of the shard. */
function outcomeOf(
  { state, signal }: ItemEnd,
  { cancelled }: ArrayEnd,
  view: ShardView | undefined,
): ExecRow["outcome"] {
  // A program that was asked to end cannot tell who asked; the engine can.
  const because = ENDED[view?.reason ?? "waits"];
  if (state === "cancelled") return cancelled === null ? because ?? state : state;
  // Some engines end programs together with the shard, which then is told of them before it is told itself.
  if (state !== "failed" || !ENDING.has(signal ?? "")) return state;
  if (cancelled !== null || view?.state === "cancelled") return "cancelled";
  return because ?? state;
}

/** How the item of a place ended, when its array is over; null without a place. */
export function rowAt(
  place: ExecPlace | undefined,
  { at, end, record }: {
    readonly at: number;
    readonly end: ArrayEnd;
    readonly record: Pick<SubmissionRecord, "shards">;
  },
): ExecRow | null {
  if (place === undefined) return null;
  const item = end.items.get(at);
  const shard = at % record.shards;
  const view = end.views[shard];
  if (item !== undefined) return { ...shardRow(place, item), outcome: outcomeOf(item, end, view) };
  const isBegun = end.begun.has(at);
  const refused = end.refused.get(shard);
  if (refused !== undefined && !isBegun) {
    return { ...EMPTY, name: place.name, outcome: "refused", last_line: refused };
  }
  const isTold = end.told.has(shard);
  // A shard that ran and of which no lines were read may have begun its repositories.
  const isPossible = isBegun || !isTold && (end.ran.has(shard) || view?.reason === "vanished");
  if (end.cancelled !== null || view?.state === "cancelled") {
    return isBegun || !isTold && end.ran.has(shard)
      ? { ...EMPTY, name: place.name, outcome: "cancelled" }
      : notBegun(place, "stopped");
  }
  if (view?.reason === "unstartable") {
    return { ...notBegun(place, "engine"), last_line: view.note };
  }
  const outcome = LOST[view?.reason ?? "vanished"];
  if (!isPossible) return notBegun(place, outcome === "timed_out" ? "time" : "shard");
  return { ...EMPTY, name: place.name, outcome };
}
