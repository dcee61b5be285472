/**
 * Reads what `squeue` and `sacct` say of an array (ENGINE-4).
 *
 * @module
 */

import type { ShardReason, ShardState, ShardView } from "../port.ts";

/** The columns that are asked of `squeue`. */
export const COLUMNS = "ArrayTaskID:|,State:|,exit_code:|,NodeList:|,Reason:|";

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

const RUNNING = new Set([
  "RUNNING",
  "COMPLETING",
  "STAGE_OUT",
  "SUSPENDED",
  "STOPPED",
  "SIGNALING",
]);

const KILLED = 9;

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

/** An exit code of the wait status that `squeue` tells: 768 is 3, 9 is a signal. */
function exitCodeOf(status: string): number | null {
  const value = Number(status);
  if (!Number.isInteger(value)) return null;
  return value >= 256 ? value >> 8 : value === 0 ? 0 : 128 + (value & 127);
}

function viewOf(index: number, word: string, more: Pick<ShardView, "exitCode" | "node" | "note">) {
  // `CANCELLED by 1000`, `COMPLETED+`.
  const name = /^[A-Z_]+/.exec(word)?.[0] ?? "";
  const over = OVER[name];
  const { exitCode, node, note } = more;
  if (over !== undefined) return { index, ...ended(...over, exitCode), node, note: null };
  const running = RUNNING.has(name);
  return {
    index,
    state: running ? "running" as const : "waiting" as const,
    reason: running ? null : "waits" as const,
    exitCode: null,
    node,
    note: running || note === "None" ? null : note,
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
    const index = /^\d+_(\d+)$/.exec(job)?.[1];
    if (index === undefined) continue;
    const [exit = 0, signal = 0] = code.split(":").map(Number);
    views.set(
      Number(index),
      viewOf(Number(index), state, {
        exitCode: signal === 0 ? exit : 128 + signal,
        node: node === "" ? null : node,
        note: null,
      }),
    );
  }
  return views;
}
