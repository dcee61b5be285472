/** The runs, and the one place where their states may change (RUN-1, RUN-2). */

import { AmofError, type ErrorObject } from "../../base/error.ts";
import type { RunId } from "../../base/ids.ts";
import type { Fields } from "../../base/object.ts";
import type { ProcessIdentity } from "../../base/system/mod.ts";
import {
  ACTIVE_STATUSES,
  fromRow,
  type Lock,
  type NewRun,
  type RunRecord,
  type RunStatus,
  STATUSES,
} from "./run_record.ts";
import { type Cell, isUniqueViolation, StorePart } from "./sql.ts";

const TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  // If its worker never started, a queued run ends as failed.
  queued: ["running", "paused", "cancelled", "failed"],
  paused: ["queued", "cancelled"],
  running: ["success", "failed", "cancelled"],
  success: [],
  failed: [],
  cancelled: [],
};

interface RunFilter {
  readonly root?: string;
  readonly ecosystem?: string;
  /** Kept under this ticket, or for null under none; absent for all. */
  readonly ticket?: string | null;
  readonly statuses?: readonly RunStatus[];
  readonly action?: string;
  readonly limit: number;
}

/** The runs that were created on one day. */
export interface RunDay {
  /** `2026-03-02`, in the time zone of this machine. */
  readonly day: string;
  readonly total: number;
  readonly failed: number;
  readonly cancelled: number;
}

interface RunTotals {
  readonly total: number;
  readonly active: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly byEcosystem: Readonly<Record<string, number>>;
  /** Average seconds of successful runs by action. */
  readonly averageSeconds: Readonly<Record<string, number>>;
  /** The runs of each day since a moment, oldest day first; days without any are left out. */
  readonly days: readonly RunDay[];
}

/** Ended, older than the first parameter, not among the newest of the second, with nothing left to settle or to note. */
const PRUNABLE = `status IN ('success', 'failed', 'cancelled') AND created_at < ?
  AND run_id NOT IN (SELECT run_id FROM runs ORDER BY created_at DESC, rowid DESC LIMIT ?)
  AND owes_entry = 0 AND run_id NOT IN (SELECT run_id FROM journals WHERE closed IS NULL)`;

/** Of all runs there ever were only those that have not ended: a few, whom an index holds. */
const ACTIVE_ONLY = "runs INDEXED BY runs_active";
/** The condition of that index to the letter; without it SQLite cannot use the index. */
const IS_ACTIVE = "status IN ('queued', 'running', 'paused')";

/** The runs. */
export class Runs extends StorePart {
  /** Adds a queued run with its locks; false when another active run stands in the way of one of them. */
  add(run: NewRun): boolean {
    try {
      // Looking and taking is one step for all processes.
      return this.db.transaction(() => {
        if (this.holders(run.locks).length > 0) return false;
        this.#insert(run);
        return true;
      });
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  #insert(run: NewRun): void {
    const { runId: run_id, root, ecosystem, ticket, action, tool, origin, fingerprint } = run;
    this.db.put("INSERT INTO runs", {
      ...{ run_id, root, ecosystem, ticket, action, tool, origin, fingerprint },
      args: JSON.stringify(run.args),
      status: "queued",
      created_at: run.createdAt,
      session_id: run.sessionId,
      requested_by: run.requestedBy,
      confirmation: run.confirmation === null ? null : JSON.stringify(run.confirmation),
      preview: JSON.stringify(run.preview),
      inline: run.inline ? 1 : 0,
      starter: run.starter === null ? null : JSON.stringify(run.starter),
      owes_entry: run.owesEntry === true ? 1 : 0,
    });
    for (const { key, shared } of run.locks) {
      this.db.put("INSERT INTO run_locks", { run_id, key, shared: shared ? 1 : 0 });
    }
  }

  /** The active runs that stand in the way of locks, oldest first. */
  holders(locks: readonly Lock[]): RunRecord[] {
    const found = locks.flatMap(({ key, shared }) =>
      this.db.all(
        `SELECT runs.* FROM run_locks JOIN runs ON runs.run_id = run_locks.run_id
         WHERE key = ? AND shared <= ? AND ${IS_ACTIVE} ORDER BY created_at, runs.rowid`,
        key,
        shared ? 0 : 1,
      ).map(fromRow)
    );
    return [...new Map(found.map((run) => [run.runId, run])).values()];
  }

  /** The ended runs that no entry of the audit log names yet: a few, whose callers are about to write it or are gone. */
  owing(): RunRecord[] {
    return this.db.all(
      `SELECT * FROM runs INDEXED BY runs_owing
       WHERE owes_entry = 1 AND status IN ('success', 'failed', 'cancelled') ORDER BY created_at`,
    ).map(fromRow);
  }

  /** A run by its full id, or null. */
  get(id: string): RunRecord | null {
    const row = this.db.get("SELECT * FROM runs WHERE run_id = ?", id);
    return row === null ? null : fromRow(row);
  }

  /** Up to two runs whose id begins with the text: none, the one meant, or proof that it is ambiguous. */
  byPrefix(prefix: string): RunRecord[] {
    return this.db.all(
      "SELECT * FROM runs WHERE substr(run_id, 1, ?) = ? ORDER BY created_at DESC LIMIT 2",
      prefix.length,
      prefix,
    ).map(fromRow);
  }

  /** Runs that match, newest first. */
  list(filter: RunFilter): RunRecord[] {
    const where: string[] = [];
    const values: Cell[] = [];
    const only = (column: string, value: string | undefined) => {
      if (value === undefined) return;
      where.push(`${column} = ?`);
      values.push(value);
    };
    only("root", filter.root);
    only("ecosystem", filter.ecosystem);
    only("action", filter.action);
    if (filter.ticket === null) where.push("ticket IS NULL");
    else only("ticket", filter.ticket);
    if (filter.statuses !== undefined) {
      where.push(`status IN (${filter.statuses.map(() => "?").join(", ")})`);
      values.push(...filter.statuses);
    }
    if (filter.statuses?.length === 0) return [];
    const active = filter.statuses?.every((status) => ACTIVE_STATUSES.includes(status)) ?? false;
    if (active) where.push(IS_ACTIVE);
    const clause = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
    return this.db.all(
      `SELECT * FROM ${
        active ? ACTIVE_ONLY : "runs"
      } ${clause} ORDER BY created_at DESC, rowid DESC LIMIT ?`,
      ...values,
      filter.limit,
    ).map(fromRow);
  }

  /** The control repositories of all runs, that of the newest first; at most so many. */
  roots(limit: number): string[] {
    return this.db.all(
      "SELECT root FROM runs GROUP BY root ORDER BY max(created_at) DESC LIMIT ?",
      limit,
    ).map((row) => String(row["root"]));
  }

  /** Active runs per ecosystem of a root. */
  activeCounts(root: string): ReadonlyMap<string, number> {
    return new Map(
      this.db.all(
        `SELECT ecosystem, count(*) AS active FROM ${ACTIVE_ONLY}
         WHERE root = ? AND ${IS_ACTIVE} AND status <> 'paused' GROUP BY ecosystem`,
        root,
      ).map((row) => [String(row["ecosystem"]), Number(row["active"])]),
    );
  }

  /** Median seconds that successful runs of an action took, with `args` those that were called so; null without any. */
  typicalSeconds(
    root: string,
    ecosystem: string,
    action: string,
    args: Fields | null = null,
  ): number | null {
    const called = args === null ? null : JSON.stringify(args);
    const rows = this.db.all(
      `SELECT finished_at - started_at AS ms FROM runs
       WHERE root = ? AND ecosystem = ? AND action = ? AND status = 'success'
         AND args = coalesce(?, args)
       ORDER BY created_at DESC LIMIT 21`,
      root,
      ecosystem,
      action,
      called,
    ).map((row) => Number(row["ms"])).sort((a, b) => a - b);
    const middle = rows[Math.floor(rows.length / 2)];
    return middle === undefined ? null : Math.round(middle / 100) / 10;
  }

  /** Counts and average durations over the runs of a root, or of all. */
  totals(root: string | null, since: number): RunTotals {
    const where = root === null ? "1 = 1 OR ? IS NULL" : "root = ?";
    const counts = (column: "status" | "ecosystem") =>
      Object.fromEntries(
        this.db.all(
          `SELECT ${column} AS name, count(*) AS n FROM runs WHERE ${where} GROUP BY ${column} ORDER BY ${column}`,
          root,
        ).map((row) => [String(row["name"]), Number(row["n"])]),
      );
    const averages = this.db.all(
      `SELECT action, avg(finished_at - started_at) AS ms FROM runs
       WHERE (${where}) AND status = 'success' AND started_at IS NOT NULL GROUP BY action ORDER BY action`,
      root,
    );
    const days = this.db.all(
      `SELECT date(created_at / 1000, 'unixepoch', 'localtime') AS day, count(*) AS n,
         sum(status = 'failed') AS failed, sum(status = 'cancelled') AS cancelled FROM runs
       WHERE (${where}) AND created_at >= ? GROUP BY day ORDER BY day`,
      root,
      since,
    );
    const byStatus = counts("status");
    return {
      days: days.map((row) => ({
        day: String(row["day"]),
        total: Number(row["n"]),
        failed: Number(row["failed"]),
        cancelled: Number(row["cancelled"]),
      })),
      total: Object.values(byStatus).reduce((sum, n) => sum + n, 0),
      active: (byStatus["queued"] ?? 0) + (byStatus["running"] ?? 0) + (byStatus["paused"] ?? 0),
      byStatus,
      byEcosystem: counts("ecosystem"),
      averageSeconds: Object.fromEntries(
        averages.map((row) => [String(row["action"]), Math.round(Number(row["ms"]) / 100) / 10]),
      ),
    };
  }

  /** How many ended runs are older than a moment and not among the newest; and how many there are at all. */
  prunable(keep: number, before: number): { readonly prunable: number; readonly total: number } {
    const row = this.db.get(
      `SELECT count(*) AS prunable, (SELECT count(*) FROM runs) AS total FROM runs WHERE ${PRUNABLE}`,
      before,
      keep,
    );
    return { prunable: Number(row?.["prunable"] ?? 0), total: Number(row?.["total"] ?? 0) };
  }

  /** Deletes those runs with their events and journals; answers how many. */
  prune(keep: number, before: number): number {
    return this.db.run(`DELETE FROM runs WHERE ${PRUNABLE}`, before, keep);
  }

  /** Remembers which process works on a run. */
  setWorker(runId: RunId, worker: ProcessIdentity, at: number): void {
    this.db.run(
      "UPDATE runs SET pid = ?, pid_started_at = ?, boot_id = ?, heartbeat_at = ? WHERE run_id = ?",
      worker.pid,
      worker.startedAt,
      worker.bootId,
      at,
      runId,
    );
  }

  /** Says that the worker is still there. */
  heartbeat(runId: RunId, at: number): void {
    this.db.run("UPDATE runs SET heartbeat_at = ? WHERE run_id = ?", at, runId);
  }

  /** Notes that somebody wants the run to end; answers false when it has ended. */
  requestCancel(runId: RunId, at: number): boolean {
    return this.db.run(
      `UPDATE runs SET cancel_requested_at = COALESCE(cancel_requested_at, ?)
       WHERE run_id = ? AND status IN ('queued', 'running', 'paused')`,
      at,
      runId,
    ) === 1;
  }

  /**
   * Moves a run to another status. A final status sets `finishedAt` and frees the lock; `running` sets
   * `startedAt`. Throws `invalid_transition` when RUN-2 does not allow it, also when
   * another process was faster.
   */
  move(runId: RunId, to: RunStatus, at: number, fields: {
    readonly exitCode?: number;
    readonly reason?: string;
    readonly result?: unknown;
    readonly error?: ErrorObject;
  } = {}): void {
    const from = STATUSES.filter((status) => TRANSITIONS[status].includes(to));
    const final = TRANSITIONS[to].length === 0;
    const changed = this.db.run(
      `UPDATE runs SET status = ?, started_at = CASE WHEN ? THEN COALESCE(started_at, ?) ELSE started_at END,
         finished_at = CASE WHEN ? THEN ? ELSE NULL END, exit_code = ?, reason = ?,
         result = COALESCE(?, result), error = ?
       WHERE run_id = ? AND status IN (${from.map(() => "?").join(", ")})`,
      to,
      to === "running" ? 1 : 0,
      at,
      final ? 1 : 0,
      at,
      fields.exitCode ?? null,
      fields.reason ?? null,
      fields.result === undefined ? null : JSON.stringify(fields.result),
      fields.error === undefined ? null : JSON.stringify(fields.error),
      runId,
      ...from,
    );
    if (changed === 1) return;
    const now = this.get(runId);
    throw new AmofError(
      "invalid_transition",
      now === null
        ? `Cannot make run "${runId}" ${to}: there is no such run`
        : `Cannot make run "${runId}" ${to}: its status is ${now.status}`,
      { details: { run_id: runId, from: now?.status ?? null, to } },
    );
  }
}
