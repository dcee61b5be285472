/** Reads what `squeue` and `sacct` say of an array (ENGINE-4). */

import type { ShardReason, ShardState, ShardView } from "../port.ts";

/** States in which Slurm says that a task is over, with what that means. */
const OVER: Readonly<Record<string, readonly [ShardState, ShardReason | null]>> = {
  COMPLETED: ["succeeded", null],
  FAILED: ["failed", "exit"],
  TIMEOUT: ["failed", "timeout"],
  DEADLINE: ["failed", "timeout"],
  OUT_OF_MEMORY: ["failed", "memory"],
  NODE_FAIL: ["failed", "node"],
  BOOT_FAIL: ["failed", "node"],
  PREEMPTED: ["failed", "evicted"],
  CANCELLED: ["cancelled", null],
  REVOKED: ["cancelled", null],
};

/** Those of them in which the engine has taken the task away from its program. */
const OF_ENGINE = new Set(["NODE_FAIL", "BOOT_FAIL", "PREEMPTED"]);

const RUNNING = new Set([
  "RUNNING",
  "COMPLETING",
  "STAGE_OUT",
  "SUSPENDED",
  "STOPPED",
  "SIGNALING",
]);

const KILLED = 9;

/** Words for why a task waits that mean nothing: it is about to begin, or was not looked at yet. */
const SILENT = new Set(["", "None", "JobHeldUser"]);

/**
 * Words for why a task waits that no time changes: what it asks for is not allowed, or not there. Limits that others use
 * up, nodes that are down and reservations pass.
 */
const NEVER =
  /^(?:Partition(?:Config|TimeLimit|NodeLimit)|Invalid(?:Account|QOS)|(?:Account|QOS)NotAllowed|BadConstraints|DependencyNeverSatisfied|MaxMemPerLimit|(?:Assoc|QOS)Max(?:Cpu|Node|Mem(?:ory)?|GRES|WallDuration|Bb|Billing|Energy)\w*PerJob\w*)$/;

/** A task that ended: its state, and what its exit code says besides. */
function ended(
  state: ShardState,
  reason: ShardReason | null,
  exitCode: number | null,
): Pick<ShardView, "state" | "reason" | "exitCode"> {
  if (state !== "failed" || reason !== "exit") return { state, reason, exitCode };
  if (exitCode === 124) return { state, reason: "timeout", exitCode };
  // Where no cgroups enforce it, the kernel ends what takes too much memory.
  return { state, reason: exitCode === 128 + KILLED ? "memory" : reason, exitCode };
}

/** The exit code of a program, or as shells tell it the signal that ended it. */
function codeOf(exit: number, signal: number): number {
  return signal === 0 ? exit : 128 + signal;
}

/** The exit code of what `squeue` tells: since 23.02 code and signal, `3:0` or `0:9`, before a wait status, 768 or 9. */
function exitCodeOf(status: string): number | null {
  const [, exit, signal] = /^(\d+):(\d+)$/.exec(status) ?? [];
  if (exit !== undefined) return codeOf(Number(exit), Number(signal));
  const value = Number(status);
  if (!Number.isInteger(value)) return null;
  return value >= 256 ? value >> 8 : value === 0 ? 0 : 128 + (value & 127);
}

function viewOf(index: number, word: string, more: Pick<ShardView, "exitCode" | "node" | "note">) {
  // `CANCELLED by 1000`, `COMPLETED+`.
  const name = /^[A-Z_]+/.exec(word)?.[0] ?? "";
  const over = OVER[name];
  const { node, note } = more;
  // What a node left behind is no code of the program.
  const exitCode = OF_ENGINE.has(name) ? null : more.exitCode;
  if (over !== undefined) return { index, ...ended(...over, exitCode), node, note: null };
  const running = RUNNING.has(name);
  if (!running && NEVER.test(note ?? "")) {
    return {
      index,
      state: "failed" as const,
      reason: "unstartable" as const,
      exitCode: null,
      node,
      note,
    };
  }
  return {
    index,
    state: running ? "running" as const : "waiting" as const,
    reason: running ? null : "waits" as const,
    exitCode: null,
    node,
    note: running || SILENT.has(note ?? "") ? null : note,
  };
}

/** The tasks of the lines of `squeue -h -r -O` with {@linkcode COLUMNS}, by their indexes. */
export function readQueue(text: string): ReadonlyMap<number, ShardView> {
  const views = new Map<number, ShardView>();
  for (const line of text.split("\n")) {
    const [index = "", state = "", status = "", node = "", reason = ""] = line.split("|")
      .map((cell) => cell.trim());
    if (!/^\d+$/.test(index)) continue;
    views.set(
      Number(index),
      viewOf(Number(index), state, {
        exitCode: exitCodeOf(status),
        node: node === "" ? null : node,
        note: reason === "" ? null : reason,
      }),
    );
  }
  return views;
}

/** The tasks of the lines of `sacct -X -n -P -o jobid,state,exitcode,nodelist`. */
export function readAccounts(text: string): ReadonlyMap<number, ShardView> {
  const views = new Map<number, ShardView>();
  for (const line of text.split("\n")) {
    const [job = "", state = "", code = "", node = ""] = line.split("|");
    for (const index of indexesOf(job)) {
      views.set(
        index,
        viewOf(index, state, {
          exitCode: exitCodeOf(code),
          node: node === "" || node === "None assigned" ? null : node,
          note: null,
        }),
      );
    }
  }
  return views;
}

/** The tasks of a job as `sacct` names them: `5_3`, or those that never began together, `5_[0-2,7%4]`, `5_[0-8:2]`. */
function indexesOf(job: string): readonly number[] {
  const [, one, several] = /^\d+_(?:(\d+)|\[([\d,:-]+)(?:%\d+)?\])$/.exec(job) ?? [];
  return (one ?? several ?? "").split(",").flatMap((part) => {
    const [, first, last, step = "1"] =
      /^(\d{1,6})(?:-(\d{1,6})(?::([1-9]\d{0,5}))?)?$/.exec(part) ?? [];
    if (first === undefined) return [];
    const count = Math.floor((Number(last ?? first) - Number(first)) / Number(step)) + 1;
    return Array.from({ length: Math.max(0, count) }, (_, at) => Number(first) + at * Number(step));
  });
}
