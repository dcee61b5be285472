/** What runs write down while they work: the log of their events, and the journal of their steps. */

import { type RunId, runId } from "../../base/ids.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";
import { type Cell, numberIn, type Row, StorePart, textIn } from "./sql.ts";
import type { Lock, RunRecord } from "./run_record.ts";

// The event log of runs: append-only, numbered from 1, cut and masked (RUN-3).

/** Levels in rising order; a filter shows its level and all above. */
export const LEVELS = ["debug", "info", "warn", "error"] as const;
/** One of {@linkcode LEVELS}. */
export type EventLevel = typeof LEVELS[number];

/** What events are about (RUN-3). */
export const EVENT_TYPES = [
  "log",
  "progress",
  "state",
  "step",
  "undo",
  "repo",
  "leftover",
  "question",
  "answer",
  "internal",
  "exit",
  "truncated",
] as const;
/** One of {@linkcode EVENT_TYPES}. */
export type EventType = typeof EVENT_TYPES[number];

/** An event to append. */
export interface NewEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly level: EventLevel;
  readonly type: EventType;
  readonly message: string;
  readonly stream?: "stdout" | "stderr";
  readonly payload?: unknown;
}

/** An event as it was stored. */
export interface RunEvent extends NewEvent {
  readonly seq: number;
}

/** A longer message is cut. */
const MAX_MESSAGE_BYTES = 8 * 1024;
/** After this much, log lines of a run are dropped, and one `truncated` event says so. */
const MAX_RUN_BYTES = 20 * 1024 * 1024;

const encoder = new TextEncoder();

function truncateToBytes(text: string, max: number): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= max) return text;
  // A character cut in half decodes to the replacement character, which is dropped.
  return `${new TextDecoder().decode(bytes.subarray(0, max - 3)).replace(/\ufffd+$/, "")}…`;
}

function fromRow(row: Row): RunEvent {
  const stream = row["stream"];
  return {
    seq: Number(row["seq"]),
    at: Number(row["at"]),
    level: LEVELS[Number(row["level"])] ?? "info",
    type: EVENT_TYPES.find((type) => type === row["type"]) ?? "log",
    message: String(row["message"]),
    ...(stream === "stdout" || stream === "stderr" ? { stream } : {}),
    ...(row["payload"] === null ? {} : { payload: JSON.parse(String(row["payload"])) as unknown }),
  };
}

/** The events. */
export class EventLog extends StorePart {
  /** Appends events in one transaction; those past the size limit are dropped after one `truncated` event. */
  append(runId: RunId, events: readonly NewEvent[]): void {
    if (events.length === 0) return;
    this.db.transaction(() => {
      const run = this.db.get("SELECT event_count, event_bytes FROM runs WHERE run_id = ?", runId);
      if (run === null) return;
      let seq = Number(run["event_count"]);
      let bytes = Number(run["event_bytes"]);
      let last: NewEvent | null = null;
      for (const event of events) {
        const message = truncateToBytes(maskSecrets(stripUnsafe(event.message)), MAX_MESSAGE_BYTES);
        const before = bytes;
        // Only log lines count, so that it is always one of them that crosses the limit.
        if (event.type === "log") bytes += encoder.encode(message).length;
        const full = event.type === "log" && bytes > MAX_RUN_BYTES;
        // The event that crosses the limit is replaced by the note; those behind it vanish.
        if (full && before > MAX_RUN_BYTES) continue;
        const stored: NewEvent = full
          ? {
            at: event.at,
            level: "warn",
            type: "truncated",
            message: "The log is full; later lines are not kept",
          }
          : { ...event, message };
        last = stored;
        this.db.put("INSERT INTO run_events", {
          run_id: runId,
          seq: ++seq,
          at: stored.at,
          level: LEVELS.indexOf(stored.level),
          type: stored.type,
          stream: stored.stream ?? null,
          message: stored.message,
          payload: stored.payload === undefined ? null : JSON.stringify(stored.payload),
        });
      }
      this.db.run(
        `UPDATE runs SET event_count = ?, event_bytes = ?, last_event_at = COALESCE(?, last_event_at),
           last_message = COALESCE(?, last_message) WHERE run_id = ?`,
        seq,
        bytes,
        last?.at ?? null,
        last?.message ?? null,
        runId,
      );
    });
  }

  /** The events after a sequence number, oldest first. */
  after(runId: RunId, seq: number, limit: number, level: EventLevel = "debug"): RunEvent[] {
    return this.db.all(
      "SELECT * FROM run_events WHERE run_id = ? AND seq > ? AND level >= ? ORDER BY seq LIMIT ?",
      runId,
      seq,
      LEVELS.indexOf(level),
      limit,
    ).map(fromRow);
  }

  /** The last events, oldest first. */
  tail(runId: RunId, limit: number, level: EventLevel = "debug"): RunEvent[] {
    return this.db.all(
      "SELECT * FROM run_events WHERE run_id = ? AND level >= ? ORDER BY seq DESC LIMIT ?",
      runId,
      LEVELS.indexOf(level),
      limit,
    ).map(fromRow).reverse();
  }
}

// The journal of multi-step mutations: which steps were planned, begun, done and undone (STEP-1).
//
// Every line is written before the thing it speaks of happens, so that after a crash the journal knows at
// least as much as the disk.

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
      steps.forEach(({ op, args }, seq) => {
        const row = { run_id: runId, seq, op, args: JSON.stringify(args), state };
        this.db.put("INSERT INTO journal_steps", row);
      });
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
      ticket: textIn(row["ticket"]),
      action: String(row["action"]),
      tool: String(row["tool"]),
      args: JSON.parse(String(row["args"])) as Record<string, unknown>,
      createdAt: Number(row["created_at"]),
      livedAt: Number(row["lived_at"]),
      locks: toLocks(row["locks"]),
      pointOfNoReturn: numberIn(row["point_of_no_return"]),
      entries: this.db.all(
        "SELECT * FROM journal_steps WHERE run_id = ? ORDER BY seq",
        String(row["run_id"]),
      ).map(toEntry),
    }));
  }
}
