/**
 * `amof runs list` and `amof runs active` (amof.md §2.13, §3.4).
 *
 * @module
 */

import { type RunSummary, runSummary } from "../run/mod.ts";
import { type CommandContext, query, type Wording } from "../spec/mod.ts";
import { ACTIVE_STATUSES, type RunStatus, STATUSES } from "../store/mod.ts";
import { table } from "../text/table.ts";
import { count, duration } from "../text/words.ts";

interface ListData {
  readonly [field: string]: unknown;
  /** The only ecosystem whose runs were looked for; absent when it was all of them. */
  readonly ecosystem?: string;
  readonly runs: readonly RunSummary[];
}

/** A table of runs, newest first. */
export function runTable(runs: readonly RunSummary[], say: Wording): string {
  return table(
    ["run", "ecosystem", "action", "status", "created", "duration"],
    runs.map((run) => [
      run.run_id.slice(0, 8),
      run.ecosystem,
      run.action,
      run.status + (run.reason === null ? "" : ` (${run.reason})`),
      say.time(run.created_at),
      run.duration_s === null ? "" : duration(run.duration_s),
    ]),
    30,
  );
}

function empty(ctx: string): string {
  return `${ctx} Start one with: amof install, amof sync or amof push`;
}

async function find(ctx: CommandContext, filter: {
  ecosystem?: string | undefined;
  statuses?: readonly RunStatus[] | undefined;
  action?: string | undefined;
  limit: number;
}): Promise<ListData> {
  const { runs } = await ctx.store();
  const found = runs.list({
    ...(ctx.root === "" ? {} : { root: ctx.root }),
    ...(filter.ecosystem === undefined ? {} : { ecosystem: filter.ecosystem }),
    ...(filter.statuses === undefined ? {} : { statuses: filter.statuses }),
    ...(filter.action === undefined ? {} : { action: filter.action }),
    limit: filter.limit,
  });
  return {
    ...(filter.ecosystem === undefined ? {} : { ecosystem: filter.ecosystem }),
    runs: found.map(runSummary),
  };
}

/** `amof runs list`. */
export const listRuns = query({
  name: "amof_list_runs",
  path: ["runs", "list"],
  toolset: "run",
  scope: "global",
  rootless: true,
  title: "List runs",
  summary: "List runs, newest first.",
  examples: [
    "runs list",
    "runs list --status failed --limit 5",
    "runs list --ecosystem demo --action push --json",
  ],
  pages: { member: "runs", key: "run_id" },
  input: (z) =>
    z.strictObject({
      ecosystem: z.string().optional().describe(
        "Default: the session's",
      ),
      status: z.enum(STATUSES).optional().describe("Only with this status"),
      action: z.string().optional().describe("Only this action, such as push"),
      limit: z.int().min(1).max(200).default(20).describe("How many at most"),
    }),
  async run(ctx, input) {
    return {
      data: await find(ctx, {
        ecosystem: input.ecosystem ?? ctx.session.place.ecosystem ?? undefined,
        statuses: input.status === undefined ? undefined : [input.status],
        action: input.action,
        limit: input.limit,
      }),
    };
  },
  render: (data: ListData, _input, say) => ({
    summary: data.runs.length === 0 ? "Found no runs." : `Found ${count(data.runs.length, "run")}.`,
    details: data.runs.length === 0
      ? empty("There is none that matches.")
      : runTable(data.runs, say),
  }),
});

/** `amof runs active`. */
export const activeRuns = query({
  name: "amof_get_active_runs",
  path: ["runs", "active"],
  toolset: "run",
  scope: "global",
  rootless: true,
  title: "Active runs",
  summary: "List the runs that are queued, running or paused.",
  examples: ["runs active", "runs active --json"],
  input: (z) =>
    z.strictObject({
      status: z.enum(["queued", "running", "paused"]).optional().describe("Only with this status"),
    }),
  async run(ctx, input) {
    const statuses = input.status === undefined ? ACTIVE_STATUSES : [input.status];
    return { data: await find(ctx, { statuses, limit: 200 }) };
  },
  render: (data: ListData, _input, say) => ({
    summary: data.runs.length === 0
      ? "Found no active runs."
      : `Found ${count(data.runs.length, "active run")}.`,
    details: data.runs.length === 0 ? empty("Nothing is running.") : runTable(data.runs, say),
  }),
});
