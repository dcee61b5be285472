/** `amof telemetry`: counts and durations of all runs, out of their records (RUN-1). */

import { query } from "../contract/mod.ts";
import { keyValues } from "../base/text/table.ts";
import { count, duration } from "../base/text/words.ts";
import type { RunDay } from "../state/store/mod.ts";
import { readSessions } from "./look/sessions.ts";

/** How far back days are counted one by one. */
const DAYS_MS = 30 * 24 * 60 * 60 * 1000;
/** So many of them stand in the text. */
const SHOWN_DAYS = 7;

/** Counts and durations of runs. */
export interface TelemetryData {
  readonly total_runs: number;
  readonly active: number;
  readonly by_status: Readonly<Record<string, number>>;
  readonly by_ecosystem: Readonly<Record<string, number>>;
  /** Seconds by action, of runs that succeeded. */
  readonly avg_duration_s: Readonly<Record<string, number>>;
  /** The last 30 days that have runs, oldest first, in the time zone of this machine. */
  readonly by_day: readonly RunDay[];
  readonly cost: {
    readonly total: number | null;
    readonly status: "observed" | "partial" | "unknown";
  };
}

/** "2026-03-02: 4 runs, 1 failed". */
function dayText({ day, total, failed }: RunDay): string {
  return `${day}: ${count(total, "run")}${failed === 0 ? "" : `, ${failed} failed`}`;
}

/** `amof telemetry`. */
export const globalTelemetry = query({
  name: "amof_get_global_telemetry",
  aliases: ["amof_global_telemetry"],
  path: ["telemetry"],
  toolset: "telemetry",
  scope: "global",
  needs: "nothing",
  title: "Telemetry",
  summary: "Counts and durations of all runs, and what agents cost.",
  examples: ["telemetry", "telemetry --json"],
  input: () => ({}),
  async run(ctx) {
    const { runs } = await ctx.store();
    const totals = runs.totals(
      ctx.root === "" ? null : ctx.root,
      ctx.system.clock.now() - DAYS_MS,
    );
    const sessions = await readSessions(ctx.system, ctx.layout);
    const costs = sessions.map((session) => session.cost);
    const known = costs.filter((cost) => cost !== null);
    return {
      data: {
        total_runs: totals.total,
        active: totals.active,
        by_status: totals.byStatus,
        by_ecosystem: totals.byEcosystem,
        avg_duration_s: totals.averageSeconds,
        by_day: totals.days,
        cost: {
          total: known.length === 0
            ? null
            : Math.round(known.reduce((sum, cost) => sum + cost, 0) * 1e6) / 1e6,
          status: known.length === 0
            ? "unknown" as const
            : known.length < costs.length
            ? "partial" as const
            : "observed" as const,
        },
      },
    };
  },
  render: (data: TelemetryData) => ({
    summary: `Counted ${count(data.total_runs, "run")}, ${data.active} active.`,
    details: keyValues([
      [
        "By status",
        Object.entries(data.by_status).map(([status, n]) => `${status} ${n}`).join(", "),
      ],
      [
        "By ecosystem",
        Object.entries(data.by_ecosystem).map(([name, n]) =>
          `${name || "(control repository)"} ${n}`
        ).join(", "),
      ],
      [
        "Average",
        Object.entries(data.avg_duration_s).map(([action, s]) => `${action} ${duration(s)}`).join(
          ", ",
        ),
      ],
      ["Last days", data.by_day.slice(-SHOWN_DAYS).map(dayText).join("; ")],
      [
        "Agent cost",
        data.cost.total === null ? "unknown" : `${data.cost.total} (${data.cost.status})`,
      ],
    ]),
  }),
});
