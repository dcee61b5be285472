/**
 * The journal of multi-step mutations: which steps were planned, begun, done and undone (STEP-1).
 *
 * Every line is written before the thing it speaks of happens, so that after a crash the journal knows at
 * least as much as the disk.
 */

import { type RunId, runId } from "../../base/ids.ts";
import type { Lock, RunRecord } from "./run_record.ts";
import { type Cell, type Row, StorePart } from "./sql.ts";

/** Where a step stands. `begun` means that it may or may not have happened. */
export type StepState = "planned" | "begun" | "done" | "undoing" | "undone";

/** A step as it was planned: the name of an operation and its arguments. */
export interface JournalStep {
  readonly op: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A step with its state. */
export interface JournalEntry extends JournalStep {
  readonly seq: number;
  readonly state: StepState;
}

/** A journal that was opened and not closed. */
export interface UnfinishedJournal extends
  Pick<
    RunRecord,
    "runId" | "root" | "ecosystem" | "ticket" | "action" | "tool" | "args" | "createdAt"
  > {
  /** When its run was last known to live. */
  readonly livedAt: number;
  /** What its run held, so that nobody else works there while it is settled; empty where that is not known. */
  readonly locks: readonly Lock[];
  /** Once this step has begun the work is finished instead of undone; null when it is always undone. */
  readonly pointOfNoReturn: number | null;
  readonly entries: readonly JournalEntry[];
}

const STATES: readonly StepState[] = ["planned", "begun", "done", "undoing", "undone"];

function toEntry(row: Row): JournalEntry {
  return {
    seq: Number(row["seq"]),
    op: String(row["op"]),
    args: JSON.parse(String(row["args"])) as Record<string, unknown>,
    state: STATES.find((state) => state === row["state"]) ?? "begun",
  };
}

function toLocks(cell: Cell | undefined): Lock[] {
  const locks = typeof cell === "string"
    ? JSON.parse(cell) as { key: string; shared: number }[]
    : [];
  return locks.map(({ key, shared }) => ({ key, shared: shared === 1 }));
}

/** The journals. */
export class JournalTable extends StorePart {
  /** Writes down all steps of a run before the first one begins, as `planned` unless told otherwise. */
  open(
    runId: RunId,
    steps: readonly JournalStep[],
    pointOfNoReturn: number | null,
    state: StepState = "planned",
  ): void {
    this.db.transaction(() => {
      this.db.run(
        `INSERT INTO journals (run_id, point_of_no_return, closed, locks) VALUES (?, ?, NULL,
           (SELECT json_group_array(json_object('key', key, 'shared', shared)) FROM run_locks
            WHERE run_id = ?))`,
        runId,
        pointOfNoReturn,
        runId,
      );
      steps.forEach((step, seq) =>
        this.db.run(
          "INSERT INTO journal_steps (run_id, seq, op, args, state) VALUES (?, ?, ?, ?, ?)",
          runId,
          seq,
          step.op,
          JSON.stringify(step.args),
          state,
        )
      );
    });
  }

  /** Notes where a step stands. */
  mark(runId: RunId, seq: number, state: StepState): void {
    this.db.run(
      "UPDATE journal_steps SET state = ? WHERE run_id = ? AND seq = ?",
      state,
      runId,
      seq,
    );
  }

  /** Says that nothing is left to do: everything was done, or everything undone. */
  close(runId: RunId, outcome: "done" | "undone"): void {
    this.db.run("UPDATE journals SET closed = ? WHERE run_id = ?", outcome, runId);
  }

  /** Whether a run has a journal that was not closed. */
  isOpen(runId: RunId): boolean {
    return this.db.get("SELECT 1 FROM journals WHERE run_id = ? AND closed IS NULL", runId) !==
      null;
  }

  /** The journals of an ecosystem that were not closed, oldest first; those of running runs are among them. */
  unfinished(root: string, ecosystem: string): UnfinishedJournal[] {
    return this.db.all(
      `SELECT journals.run_id, point_of_no_return, locks, root, ecosystem, ticket, action, tool, args,
         created_at,         MAX(created_at, COALESCE(heartbeat_at, 0)) AS lived_at
       FROM journals JOIN runs ON runs.run_id = journals.run_id
       WHERE closed IS NULL AND root = ? AND ecosystem = ? ORDER BY runs.created_at`,
      root,
      ecosystem,
    ).map((row) => ({
      runId: runId(String(row["run_id"])),
      root: String(row["root"]),
      ecosystem: String(row["ecosystem"]),
      ticket: row["ticket"] === null ? null : String(row["ticket"]),
      action: String(row["action"]),
      tool: String(row["tool"]),
      args: JSON.parse(String(row["args"])) as Record<string, unknown>,
      createdAt: Number(row["created_at"]),
      livedAt: Number(row["lived_at"]),
      locks: toLocks(row["locks"]),
      pointOfNoReturn: row["point_of_no_return"] === null
        ? null
        : Number(row["point_of_no_return"]),
      entries: this.db.all(
        "SELECT * FROM journal_steps WHERE run_id = ? ORDER BY seq",
        String(row["run_id"]),
      ).map(toEntry),
    }));
  }
}
