/** `amof runs active`: the runs that have not ended (RUN-2). */

import { query } from "../../contract/mod.ts";
import { ACTIVE_STATUSES } from "../../state/store/mod.ts";
import { count } from "../../base/text/words.ts";
import { emptyList, findRuns, type ListData, runTable } from "./list.ts";

/** `amof runs active`. */
export const activeRuns = query({
  name: "amof_get_active_runs",
  path: ["runs", "active"],
  inTicket: "no workspace",
  toolset: "run",
  scope: "global",
  needs: "nothing",
  next: "runs",
  title: "Active runs",
  summary: "List runs queued, running or paused.",
  examples: ["runs active", "runs active --json"],
  fields: ["runs", "runs.run_id", "runs.ecosystem", "runs.ticket", "runs.action", "runs.status"],
  input: (z) => ({
    status: z.enum(["queued", "running", "paused"]).optional().describe("Only this"),
  }),
  async run(ctx, input) {
    const statuses = input.status === undefined ? ACTIVE_STATUSES : [input.status];
    return { data: await findRuns(ctx, { statuses, limit: 200 }) };
  },
  render: (data: ListData, _input, say) => ({
    summary: data.runs.length === 0
      ? "Found no active runs."
      : `Found ${count(data.runs.length, "active run")}.`,
    details: data.runs.length === 0 ? emptyList("Nothing is running.") : runTable(data.runs, say),
  }),
});
