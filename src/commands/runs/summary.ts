/** `amof runs summary`: how a run went, in a few lines (RUN-1). */

import { durationSeconds, eventView, statusPhrase } from "../../runs/mod.ts";
import { query } from "../../contract/mod.ts";
import { eventLine } from "../../base/text/event_line.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues } from "../../base/text/table.ts";
import { duration } from "../../base/text/words.ts";
import { runIdInput, runPlace, whichRun } from "./which.ts";

interface SummaryData {
  readonly run_id: string;
  readonly action: string;
  readonly ecosystem: string;
  readonly status: string;
  readonly reason: string | null;
  readonly duration_s: number | null;
  readonly log_events: number;
  /** At most 5 messages of at most 120 characters. */
  readonly errors: readonly string[];
  readonly exit_code: number | null;
  /** The error the run ended with, or null. */
  readonly run_error: unknown;
  readonly result: unknown;
  /** The last 10 events of a run that failed or was cancelled. */
  readonly last_events: readonly Readonly<Record<string, unknown>>[];
}

/** `amof runs summary`. */
export const runSummaryCommand = query({
  name: "amof_summarize_run",
  path: ["runs", "summary"],
  inTicket: "no workspace",
  toolset: "run",
  scope: "run",
  needs: "nothing",
  next: "run",
  title: "Summarize run",
  summary: "Summarize one run: outcome, duration, errors, log lines of a failure.",
  positionals: ["run_id"],
  examples: ["runs summary", "runs summary 4e8c1d72", "runs summary 4e8c --json"],
  openWorld: true,
  input: (z) => ({
    run_id: runIdInput(z),
  }),
  async run(ctx, input) {
    const run = await whichRun(ctx, input.run_id);
    const { events } = await ctx.store();
    const errors = events.tail(run.runId, 5, "error").map((event) => cleanLine(event.message, 120));
    const unhappy = run.status === "failed" || run.status === "cancelled";
    return {
      data: {
        run_id: run.runId,
        action: run.action,
        ecosystem: run.ecosystem,
        status: run.status,
        reason: run.reason,
        duration_s: durationSeconds(run),
        log_events: run.eventCount,
        errors,
        exit_code: run.exitCode,
        run_error: run.error,
        result: run.result,
        last_events: unhappy ? events.tail(run.runId, 10).map(eventView) : [],
      },
    };
  },
  enters: runPlace,
  render: (data: SummaryData, _input, say) => ({
    summary: `Summarized ${data.action} run:${data.run_id.slice(0, 8)}: it ${
      statusPhrase(data.status, data.run_error)
    }.`,
    details: [
      keyValues([
        ["Run ID", data.run_id],
        ["Ecosystem", data.ecosystem],
        ["Status", data.status + (data.reason === null ? "" : ` (${data.reason})`)],
        ["Duration", data.duration_s === null ? null : duration(data.duration_s)],
        ["Exit code", data.exit_code === null ? null : String(data.exit_code)],
        ["Events", String(data.log_events)],
      ]),
      ...data.errors.map((error) => `✗ ${error}`),
      ...(data.last_events.length === 0
        ? []
        : ["", ...data.last_events.map((event) => eventLine(event, say.clock))]),
    ],
  }),
});
