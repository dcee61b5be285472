/** How a run is found and looks from outside: the members of RUN-1 with ISO times. */

import { defined, isObject } from "../base/object.ts";
import {
  ACTIVE_STATUSES,
  type RunEvent,
  type RunRecord,
  type RunStatus,
} from "../state/store/mod.ts";
import { timestamp } from "../base/system/mod.ts";
import { maskValue } from "../base/text/mask.ts";

/** How much of an id screens show. */
const SHORT_ID = 8;

/** The id of a run as completion offers it: as long as screens show it, unless more is typed already. */
export function typedRunId(runId: string, typed: string): string {
  return typed.length > SHORT_ID ? runId : runId.slice(0, SHORT_ID);
}

/** Whether a run has ended for good. */
export function isFinal(status: RunStatus): boolean {
  return !ACTIVE_STATUSES.includes(status);
}

const PHRASES: Readonly<Record<string, string>> = {
  queued: "waits to begin",
  running: "is running",
  paused: "is paused",
  success: "has succeeded",
  failed: "has failed",
  cancelled: "was cancelled",
};

/**
 * The status of a run, and the error that it ended with, as the end of a sentence that began with the run: "has
 * succeeded", "was partly done". The exit code does not tell: a script's own may be that of a part.
 */
export function statusPhrase(status: string, error: unknown): string {
  if (isObject(error) && error["error"] === "partial_failure") return "was partly done";
  return PHRASES[status] ?? `is ${status}`;
}

/** A run without its arguments and result, for lists. */
export interface RunSummary {
  readonly run_id: string;
  readonly ecosystem: string;
  /** The ticket in whose own workspace it works; null for the base workspace. */
  readonly ticket: string | null;
  readonly action: string;
  readonly status: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly exit_code: number | null;
  readonly duration_s: number | null;
  readonly origin: string;
  readonly reason: string | null;
}

/** The whole record without its events. */
export interface RunView extends RunSummary {
  readonly terminal: boolean;
  readonly requested_by: string;
  readonly args: unknown;
  readonly event_count: number;
  readonly last_event_at: string | null;
  readonly last_message: string | null;
  readonly cancel_requested_at: string | null;
  readonly result: unknown;
  /** The error the run ended with; not the error of the call that asks about it. */
  readonly run_error: unknown;
}

function time(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms);
}

/** Seconds from start to end with one decimal, or null while it runs. */
export function durationSeconds(run: RunRecord): number | null {
  return run.startedAt === null || run.finishedAt === null
    ? null
    : Math.round((run.finishedAt - run.startedAt) / 100) / 10;
}

/** The list form of a run. */
export function runSummary(run: RunRecord): RunSummary {
  return {
    run_id: run.runId,
    ecosystem: run.ecosystem,
    ticket: run.ticket,
    action: run.action,
    status: run.status,
    created_at: timestamp(run.createdAt),
    started_at: time(run.startedAt),
    finished_at: time(run.finishedAt),
    exit_code: run.exitCode,
    duration_s: durationSeconds(run),
    origin: run.origin,
    reason: run.reason,
  };
}

/** The full form of a run. */
export function runView(run: RunRecord): RunView {
  return {
    ...runSummary(run),
    terminal: isFinal(run.status),
    requested_by: run.requestedBy,
    args: maskValue(run.args),
    event_count: run.eventCount,
    last_event_at: time(run.lastEventAt),
    last_message: run.lastMessage,
    cancel_requested_at: time(run.cancelRequestedAt),
    result: run.result,
    run_error: run.error,
  };
}

/** An event with an ISO time. */
export function eventView(event: RunEvent): Readonly<Record<string, unknown>> {
  return {
    seq: event.seq,
    timestamp: timestamp(event.at),
    level: event.level,
    type: event.type,
    message: event.message,
    ...defined({ stream: event.stream, payload: event.payload }),
  };
}
