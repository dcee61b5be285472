/** What is stored of a run (RUN-1). */

import type { ErrorObject } from "../../base/error.ts";
import { type RunId, runId } from "../../base/ids.ts";
import { type Door, doorOf } from "../../base/policy/mode.ts";
import type { ProcessIdentity } from "../../base/system/mod.ts";
import { type Cell, numberIn, type Row, textIn } from "./sql.ts";

/** Every status of a run. */
export const STATUSES = ["queued", "paused", "running", "success", "failed", "cancelled"] as const;
/** One of {@linkcode STATUSES}. */
export type RunStatus = typeof STATUSES[number];

/** The statuses that are not final. */
export const ACTIVE_STATUSES: readonly RunStatus[] = ["queued", "paused", "running"];

interface RunConfirmation {
  readonly type: string;
  readonly way: string;
  readonly at: number;
}

/** What a run is from its beginning. Times are milliseconds since the epoch. */
interface RunOrder {
  readonly runId: RunId;
  /** The control repository. */
  readonly root: string;
  readonly ecosystem: string;
  /** The ticket in whose own workspace it works; null for the base workspace. */
  readonly ticket: string | null;
  /** What it does, with underscores: `install`, `push`, … */
  readonly action: string;
  /** The command that made it. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly sessionId: string | null;
  readonly origin: Door;
  readonly requestedBy: string;
  readonly confirmation: RunConfirmation | null;
  /** The fingerprint of the preview that was confirmed; the worker checks it again before it acts. */
  readonly fingerprint: string;
  /** The facts of that preview, to say what changed if they no longer hold. */
  readonly preview: unknown;
  /** Whether the calling process itself works on it: it must not be ended by a signal then. */
  readonly inline: boolean;
  /** Who asked for it: as long as no worker is known, the run lives with that process. Null where unknown. */
  readonly starter: ProcessIdentity | null;
}

/** Something that a run takes while it is active: with others, or for itself. */
export interface Lock {
  readonly key: string;
  readonly shared: boolean;
}

/** What a new run needs. */
export interface NewRun extends RunOrder {
  /** What it takes: of two active runs with the same key both must share it. Empty excludes nothing. */
  readonly locks: readonly Lock[];
  /** Whether an entry of the audit log is to name it; a repair goes back to what was agreed to before. */
  readonly owesEntry?: boolean;
}

/** A run as it is stored. */
export interface RunRecord extends RunOrder {
  readonly status: RunStatus;
  /** Why it failed where the error does not say: `interrupted`. */
  readonly reason: string | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly exitCode: number | null;
  readonly cancelRequestedAt: number | null;
  readonly result: unknown;
  readonly error: ErrorObject | null;
  readonly worker: ProcessIdentity | null;
  readonly heartbeatAt: number | null;
  readonly eventCount: number;
  readonly lastEventAt: number | null;
  readonly lastMessage: string | null;
}

function parsed<T>(cell: Cell | undefined): T | null {
  return typeof cell === "string" ? JSON.parse(cell) as T : null;
}

/** A run as its row has it. */
export function fromRow(row: Row): RunRecord {
  const pid = numberIn(row["pid"]);
  return {
    runId: runId(String(row["run_id"])),
    root: String(row["root"]),
    ecosystem: String(row["ecosystem"]),
    ticket: textIn(row["ticket"]),
    action: String(row["action"]),
    tool: String(row["tool"]),
    args: parsed<Record<string, unknown>>(row["args"]) ?? {},
    status: STATUSES.find((status) => status === row["status"]) ?? "failed",
    reason: textIn(row["reason"]),
    createdAt: Number(row["created_at"]),
    startedAt: numberIn(row["started_at"]),
    finishedAt: numberIn(row["finished_at"]),
    exitCode: numberIn(row["exit_code"]),
    sessionId: textIn(row["session_id"]),
    origin: doorOf(row["origin"]),
    requestedBy: String(row["requested_by"]),
    confirmation: parsed<RunConfirmation>(row["confirmation"]),
    fingerprint: String(row["fingerprint"]),
    preview: parsed<unknown>(row["preview"]),
    inline: row["inline"] === 1,
    cancelRequestedAt: numberIn(row["cancel_requested_at"]),
    result: parsed<unknown>(row["result"]),
    error: parsed<ErrorObject>(row["error"]),
    worker: pid === null
      ? null
      : { pid, startedAt: textIn(row["pid_started_at"]), bootId: textIn(row["boot_id"]) },
    starter: parsed<ProcessIdentity>(row["starter"]),
    heartbeatAt: numberIn(row["heartbeat_at"]),
    eventCount: Number(row["event_count"]),
    lastEventAt: numberIn(row["last_event_at"]),
    lastMessage: textIn(row["last_message"]),
  };
}
