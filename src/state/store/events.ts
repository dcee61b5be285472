/** The event log of runs: append-only, numbered from 1, cut and masked (RUN-3). */

import type { RunId } from "../../base/ids.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";
import { type Row, StorePart } from "./sql.ts";

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

function cutToBytes(text: string, max: number): string {
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
        const message = cutToBytes(maskSecrets(stripUnsafe(event.message)), MAX_MESSAGE_BYTES);
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
        this.db.run(
          "INSERT INTO run_events (run_id, seq, at, level, type, stream, message, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          runId,
          ++seq,
          stored.at,
          LEVELS.indexOf(stored.level),
          stored.type,
          stored.stream ?? null,
          stored.message,
          stored.payload === undefined ? null : JSON.stringify(stored.payload),
        );
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
