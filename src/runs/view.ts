/** How a run looks from outside: the members of RUN-1 with ISO times. */

import { defined } from "../base/object.ts";
import type { RunEvent, RunRecord } from "../state/store/mod.ts";
import { timestamp } from "../base/system/mod.ts";
import { maskValue } from "../base/text/mask.ts";
import { isFinal } from "./states.ts";

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
