/** `amof runs logs`: the events of one run (RUN-4). */

import { eventView, isFinal } from "../../runs/mod.ts";
import { query } from "../../contract/mod.ts";
import { LEVELS } from "../../state/store/mod.ts";
import { eventLine } from "../../base/text/event_line.ts";
import { count } from "../../base/text/words.ts";
import { runIdInput, runPlace, whichRun } from "./which.ts";

/** The events of one answer over MCP stay below this, so that hosts do not cut it (RUN-4). */
const MAX_CHARACTERS = 20_000;

/** The most events of one answer. */
const MOST = 1_000;

/** Some of the events of a run. */
export interface LogData {
  readonly run_id: string;
  readonly action: string;
  readonly ecosystem: string;
  readonly status: string;
  readonly terminal: boolean;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  /** Give this as `after` to get what comes next. */
  readonly next_after: number;
  /** Whether there are more events than this answer holds. */
  readonly truncated: boolean;
}

/** How whoever reads a part of a log gets what comes before or behind it. */
function restLine(
  { run_id: id, events, next_after: next }: LogData,
  { after, level }: { readonly after?: number | undefined; readonly level?: string | undefined },
  watched: boolean,
): string {
  // At a terminal a log is followed from anywhere to its end, in one answer.
  const rest = `${watched ? "--follow" : `--tail ${MOST}`}${
    level === undefined ? "" : ` --level ${level}`
  }`;
  const read = `amof runs logs ${id.slice(0, 8)} --after`;
  return after === undefined
    ? `These are the newest ${events.length}; all of them: ${read} 0 ${rest}`
    : `There are more behind ${next}: ${read} ${next} ${rest}`;
}

/** `amof runs logs`. */
export const runLogs = query({
  name: "amof_get_run_logs",
  path: ["runs", "logs"],
  inTicket: "no workspace",
  toolset: "run",
  scope: "run",
  needs: "nothing",
  follows: true,
  next: "run",
  title: "Run logs",
  summary: "Show the log of one run; poll with after.",
  positionals: ["run_id"],
  examples: [
    "runs logs",
    "runs logs 4e8c1d72",
    "runs logs 4e8c --tail 200 --level warn",
    "runs logs 4e8c --follow",
  ],
  openWorld: true,
  input: (z) => ({
    run_id: runIdInput(z),
    tail: z.int().min(1).max(MOST).default(50).describe("At most"),
    level: z.enum(LEVELS).optional().describe("This and above"),
    after: z.int().min(0).optional().describe(
      "Behind this seq (next_after)",
    ),
  }),
  async run(ctx, input) {
    const run = await whichRun(ctx, input.run_id);
    const { events: log } = await ctx.store();
    const stored = input.after === undefined
      ? log.tail(run.runId, input.tail, input.level)
      : log.after(run.runId, input.after, input.tail, input.level);
    const views = stored.map(eventView);
    // If events do not fit, reading forward keeps the oldest and reading back the newest.
    const kept: Readonly<Record<string, unknown>>[] = [];
    let size = 0;
    for (const view of input.after === undefined ? views.toReversed() : views) {
      size += JSON.stringify(view).length;
      if (ctx.door !== "cli" && size > MAX_CHARACTERS && kept.length > 0) break;
      kept.push(view);
    }
    if (input.after === undefined) kept.reverse();
    const last = kept[kept.length - 1];
    const nextAfter = last === undefined ? input.after ?? run.eventCount : Number(last["seq"]);
    return {
      data: {
        run_id: run.runId,
        action: run.action,
        ecosystem: run.ecosystem,
        status: run.status,
        terminal: isFinal(run.status),
        events: kept,
        next_after: nextAfter,
        truncated: kept.length < views.length ||
          (input.after === undefined
            ? run.eventCount > kept.length && kept.length === input.tail
            : run.eventCount > nextAfter && kept.length === input.tail),
      },
    };
  },
  enters: runPlace,
  render: (data: LogData, input, say) => ({
    summary: `Read ${count(data.events.length, "event")} of run:${
      data.run_id.slice(0, 8)
    } (${data.status}).`,
    details: data.events.length === 0
      ? "No events yet."
      : data.events.map((event) => eventLine(event, say.clock)),
    ...(data.truncated ? { notes: restLine(data, input, say.watched) } : {}),
  }),
});
