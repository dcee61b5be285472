/** `amof runs list` (RUN-1), and what every list of runs shares. */

import { join } from "@std/path";
import { defined } from "../../base/object.ts";
import { AmofError } from "../../base/error.ts";
import { SLUG } from "../../base/ids.ts";
import { type RunSummary, runSummary } from "../../runs/mod.ts";
import { BASE } from "../../contract/input.ts";
import { type CommandContext, query, unlisted, type Wording } from "../../contract/mod.ts";
import { type RunStatus, STATUSES } from "../../state/store/mod.ts";
import { type Table, table } from "../../base/text/table.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, duration } from "../../base/text/words.ts";

/** Runs as a list of them answers. */
export interface ListData {
  /** The only ecosystem whose runs were looked for; absent when it was all of them. */
  readonly ecosystem?: string;
  /** The only ticket whose runs were looked for, `main` for those of none; absent when it was all of them. */
  readonly ticket?: string;
  readonly runs: readonly RunSummary[];
}

/** A table of runs, newest first. */
export function runTable(runs: readonly RunSummary[], say: Wording): Table {
  return table(
    ["run", "ecosystem", "action", "status", "created", "duration"],
    runs.map((run) => [
      run.run_id.slice(0, 8),
      run.ticket === null ? run.ecosystem : `${run.ecosystem} > ${run.ticket}`,
      run.action,
      run.status + (run.reason === null ? "" : ` (${run.reason})`),
      say.time(run.created_at),
      run.duration_s === null ? "" : duration(run.duration_s),
    ]),
  );
}

/** What an empty list says: why, and how runs come to be. */
export function emptyList(why: string): string {
  return `${why} Start one, such as: amof sync`;
}

/** Throws `ecosystem_not_found` where neither the control repository nor any of its runs knows an ecosystem. */
async function requireKnown(ctx: CommandContext, ecosystem: string): Promise<void> {
  if (ctx.root === "") return;
  const directory = join(ctx.root, "ecosystems", ecosystem);
  if (SLUG.test(ecosystem) && await ctx.system.files.stat(directory) !== null) return;
  const { runs } = await ctx.store();
  // The runs of an ecosystem that is gone can still be read.
  if (runs.list({ root: ctx.root, ecosystem, limit: 1 }).length > 0) return;
  const shown = cleanLine(ecosystem, 60);
  throw new AmofError("ecosystem_not_found", `Cannot find ecosystem "${shown}", nor a run of it`, {
    hint: "See which there are: amof ecosystem list",
    details: { ecosystem: shown },
  });
}

/** The newest runs that match, of the control repository where there is one. */
export async function findRuns(ctx: CommandContext, filter: {
  ecosystem?: string | undefined;
  ticket?: string | undefined;
  statuses?: readonly RunStatus[] | undefined;
  action?: string | undefined;
  limit: number;
}): Promise<ListData> {
  const { runs } = await ctx.store();
  const found = runs.list({
    ...(ctx.root === "" ? {} : { root: ctx.root }),
    ...defined({ ecosystem: filter.ecosystem, statuses: filter.statuses, action: filter.action }),
    ...(filter.ticket === undefined
      ? {}
      : { ticket: filter.ticket === BASE ? null : filter.ticket }),
    limit: filter.limit,
  });
  if (found.length === 0 && filter.ecosystem !== undefined) {
    await requireKnown(ctx, filter.ecosystem);
  }
  return {
    ...defined({ ecosystem: filter.ecosystem, ticket: filter.ticket }),
    runs: found.map(runSummary),
  };
}

/** `amof runs list`. */
export const listRuns = query({
  name: "amof_list_runs",
  path: ["runs", "list"],
  inTicket: "no workspace",
  toolset: "run",
  scope: "global",
  needs: "nothing",
  next: "runs",
  short: { ticket: "t" },
  title: "List runs",
  summary: "List runs, newest first.",
  examples: [
    "runs list",
    "runs list --status failed --limit 5",
    "runs list --ticket PROJ-123",
    "runs list --ecosystem demo --action push --json",
  ],
  pages: { member: "runs", key: "run_id" },
  fields: [
    "runs",
    "runs.run_id",
    "runs.ecosystem",
    "runs.ticket",
    "runs.action",
    "runs.status",
    "runs.reason",
    "ecosystem",
    "ticket",
  ],
  input: (z) => ({
    ecosystem: z.string().optional().describe(
      "Else session's",
    ),
    ticket: unlisted(
      z.string().optional().describe("Only of this ticket's own workspace; main for others"),
    ),
    status: z.enum(STATUSES).optional().describe("Only this"),
    action: z.string().optional().describe("Such as push"),
    limit: z.int().min(1).max(200).default(20).describe("At most"),
  }),
  async run(ctx, input) {
    return {
      data: await findRuns(ctx, {
        ecosystem: input.ecosystem ?? ctx.session.place.ecosystem ?? undefined,
        ticket: input.ticket,
        statuses: input.status === undefined ? undefined : [input.status],
        action: input.action,
        limit: input.limit,
      }),
    };
  },
  render: (data: ListData, _input, say) => ({
    summary: data.runs.length === 0 ? "Found no runs." : `Found ${count(data.runs.length, "run")}.`,
    details: data.runs.length === 0
      ? emptyList("No recorded run matches.")
      : runTable(data.runs, say),
  }),
});
