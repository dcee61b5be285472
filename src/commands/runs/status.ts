/** `amof runs status`: the record of one run (RUN-1). */

import { type RunView, runView, statusPhrase } from "../../runs/mod.ts";
import { query, type Wording } from "../../contract/mod.ts";
import { keyValues } from "../../base/text/table.ts";
import { repoReasons } from "../../base/text/alike.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { duration } from "../../base/text/words.ts";
import { runIdInput, runPlace, whichRun } from "./which.ts";

/** What a run does, and where. */
function actionOf({ action, ecosystem, ticket }: RunView): string {
  if (ecosystem === "") return action;
  return `${action} of ${ecosystem}${ticket === null ? "" : `, ticket ${ticket}`}`;
}

function runDetails(run: RunView, say: Wording): string {
  const error = run.run_error as { message?: string; hint?: string; details?: unknown } | null;
  const facts = keyValues([
    ["Run ID", run.run_id],
    ["Action", actionOf(run)],
    ["Status", run.status + (run.reason === null ? "" : ` (${run.reason})`)],
    ["Asked by", `${run.requested_by} (${run.origin})`],
    ["Created", say.time(run.created_at)],
    ["Duration", run.duration_s === null ? null : duration(run.duration_s)],
    ["Exit code", run.exit_code === null ? null : String(run.exit_code)],
    ["Events", String(run.event_count)],
    ["Last", run.last_message === null ? null : cleanLine(run.last_message, 120)],
    ["ERROR", error?.message === undefined ? null : cleanLine(error.message, 200)],
  ]);
  // Each line of it as it stands in the answer of a command, so that what is to be pasted is known as such.
  const hint = (error?.hint ?? "").split("\n").filter((line) => line !== "")
    .map((line, index) => `${index === 0 ? "Hint: " : ""}${cleanLine(line, 200)}`);
  return [facts, ...hint, ...repoReasons(error?.message ?? "", error?.details)].join("\n");
}

/** `amof runs status`. */
export const runStatus = query({
  name: "amof_get_run_status",
  path: ["runs", "status"],
  inTicket: "no workspace",
  toolset: "run",
  scope: "run",
  needs: "nothing",
  next: "run",
  title: "Run status",
  summary: "Show the record of one run, with its result at the end.",
  positionals: ["run_id"],
  examples: ["runs status", "runs status 4e8c1d72", "runs status 4e8c --json"],
  input: (z) => ({
    run_id: runIdInput(z),
  }),
  async run(ctx, input) {
    return { data: runView(await whichRun(ctx, input.run_id)) };
  },
  enters: runPlace,
  render: (data: RunView, _input, say) => ({
    summary: `Found that ${data.action} run:${data.run_id.slice(0, 8)} ${
      statusPhrase(data.status, data.run_error)
    }.`,
    details: runDetails(data, say),
  }),
});
