/** Reads how shards stand out of a Job and its pods (ENGINE-9). */

import { type Fields, fieldsOf, memberAt } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { ShardReason, ShardView } from "../port.ts";

/** A pod of an array. */
export interface Pod {
  readonly name: string;
  readonly index: number;
  readonly phase: string;
  readonly node: string | null;
  readonly exitCode: number | null;
  readonly reason: ShardReason | null;
  /** Why it does not run yet, or null. */
  readonly note: string | null;
  /** What the shard wrote when it ended, or null. */
  readonly message: string | null;
}

const KILLED = 137;
const TIME_IS_OVER = 124;

function textAt(value: unknown, ...path: readonly PropertyKey[]): string | null {
  const found = memberAt(value, path);
  return typeof found === "string" && found !== "" ? found : null;
}

function listAt(value: unknown, ...path: readonly PropertyKey[]): readonly unknown[] {
  const found = memberAt(value, path);
  return Array.isArray(found) ? found : [];
}

function reasonOf(pod: Fields, exitCode: number | null): ShardReason | null {
  const whole = textAt(pod, "status", "reason");
  const ended = textAt(pod, "status", "containerStatuses", 0, "state", "terminated", "reason");
  const disrupted = listAt(pod, "status", "conditions").map(fieldsOf).find((condition) =>
    condition["type"] === "DisruptionTarget" && condition["status"] === "True"
  );
  if (ended === "OOMKilled" || exitCode === KILLED && disrupted === undefined) return "memory";
  if (whole === "DeadlineExceeded" || exitCode === TIME_IS_OVER) return "timeout";
  if (whole === "Evicted") return "evicted";
  if (disrupted !== undefined) {
    return /node|taint/i.test(String(disrupted["reason"])) ? "node" : "evicted";
  }
  return whole === "NodeLost" ? "node" : exitCode === null || exitCode === 0 ? null : "exit";
}

/** The pods of a list that kubectl printed. */
export function podsOf(list: Fields): readonly Pod[] {
  return listAt(list, "items").map(fieldsOf).flatMap((pod): Pod[] => {
    const index = Number(
      textAt(pod, "metadata", "labels", "batch.kubernetes.io/job-completion-index") ??
        textAt(pod, "metadata", "annotations", "batch.kubernetes.io/job-completion-index") ?? "-1",
    );
    const name = textAt(pod, "metadata", "name");
    if (name === null || !Number.isInteger(index) || index < 0) return [];
    const state = ["status", "containerStatuses", 0, "state"] as const;
    const code = memberAt(pod, [...state, "terminated", "exitCode"]);
    const exitCode = typeof code === "number" ? code : null;
    const unscheduled = listAt(pod, "status", "conditions").map(fieldsOf).find((condition) =>
      condition["type"] === "PodScheduled" && condition["status"] === "False"
    );
    const note = textAt(pod, ...state, "waiting", "reason") ??
      textAt(unscheduled ?? null, "reason");
    return [{
      name,
      index,
      phase: textAt(pod, "status", "phase") ?? "Pending",
      node: textAt(pod, "spec", "nodeName"),
      exitCode,
      reason: reasonOf(pod, exitCode),
      note: note === null ? null : cleanLine(note, 60),
      message: textAt(pod, ...state, "terminated", "message"),
    }];
  });
}

/** The numbers of ranges such as `0-3,5`. */
function indexesOf(ranges: string | null): ReadonlySet<number> {
  const all = new Set<number>();
  for (const part of (ranges ?? "").split(",")) {
    const [, first, last] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part.trim()) ?? [];
    if (first === undefined) continue;
    for (let at = Number(first); at <= Number(last ?? first); at++) all.add(at);
  }
  return all;
}

/** How the shards of a Job stand; `exits` is what they told themselves, where the Job is gone. */
export function viewsOf(
  job: Fields | null,
  { pods, shards, exits }: {
    readonly pods: readonly Pod[];
    readonly shards: number;
    readonly exits: ReadonlyMap<number, number>;
  },
): readonly ShardView[] {
  const done = indexesOf(textAt(job, "status", "completedIndexes"));
  const failed = indexesOf(textAt(job, "status", "failedIndexes"));
  const isOver = job !== null &&
    listAt(job, "status", "conditions").map(fieldsOf).some((one) =>
      (one["type"] === "Complete" || one["type"] === "Failed") && one["status"] === "True"
    );
  const byIndex = Map.groupBy(pods, ({ index }) => index);
  return Array.from({ length: shards }, (_, index): ShardView => {
    const own = byIndex.get(index) ?? [];
    const live = own.find(({ phase }) => phase === "Running") ??
      own.find(({ phase }) => phase === "Pending");
    const last = own.findLast(({ phase }) => phase === "Failed" || phase === "Succeeded");
    const told = exits.get(index) ?? last?.exitCode ?? null;
    // Pods outlive a Job that somebody deletes, for as long as they take to end.
    const isGone = job === null && live === undefined;
    const facts = { index, exitCode: told, node: last?.node ?? null, note: null };
    if (done.has(index) || (isOver || isGone) && told === 0) {
      return { ...facts, state: "succeeded", reason: null, exitCode: 0 };
    }
    if (failed.has(index) || isOver || isGone) {
      const lost = told !== null ? "exit" : failed.has(index) ? "node" : "vanished";
      // The pods of a shard that failed stay, unless their node went, or was emptied, with them.
      const reason = last?.reason ?? lost;
      return { ...facts, state: "failed", reason };
    }
    const running = live?.phase === "Running";
    return {
      index,
      state: running ? "running" : "waiting",
      reason: running ? null : "waits",
      exitCode: null,
      node: live?.node ?? null,
      note: live?.note ?? null,
    };
  });
}
