/** `amof runs cancel`: ends a run with everything it started (RUN-10). */

import { AmofError } from "../../base/error.ts";
import { isFinal, statusPhrase } from "../../runs/mod.ts";
import { type ArrayLeft, mutation } from "../../contract/mod.ts";
import type { RunRecord } from "../../state/store/mod.ts";
import { list } from "../../base/text/words.ts";
import { runIdInput, whichRun } from "./which.ts";

interface CancelData {
  readonly run_id: string;
  readonly ecosystem: string;
  readonly status: string;
  /** What its engine still did for it; absent where there was nothing. */
  readonly array?: ArrayLeft;
}

function over({ runId, status, error }: RunRecord): AmofError {
  return new AmofError(
    "invalid_transition",
    `Cannot cancel run ${runId.slice(0, 8)}: it ${statusPhrase(status, error)}`,
    {
      hint: `See how it went: amof runs summary ${runId.slice(0, 8)}`,
      details: { run_id: runId, status },
    },
  );
}

/** Nodes that do not answer may still run a part of what was cancelled. */
function unconfirmed(run: RunRecord, { engine, unreachable }: ArrayLeft): AmofError {
  const silent = unreachable.length === 0 ? "" : `: ${list(unreachable)} did not answer`;
  return new AmofError(
    "engine_unavailable",
    `Cannot tell whether everything has ended on engine ${engine}${silent}`,
    {
      hint: `Ask again later: amof runs cancel ${run.runId.slice(0, 8)}`,
      details: { run_id: run.runId, engine, unreachable },
    },
  );
}

/** `amof runs cancel`. */
export const cancelRunCommand = mutation({
  name: "amof_cancel_run",
  path: ["runs", "cancel"],
  inTicket: "no workspace",
  toolset: "run",
  scope: "run",
  needs: "nothing",
  safety: "safe-write",
  confirm: "simple",
  asks: { deed: "cancellation", will: "end the run where it stands" },
  title: "Cancel run",
  summary: "End a run and every process it started; what is done stays.",
  positionals: ["run_id"],
  examples: ["runs cancel", "runs cancel 4e8c1d72 --yes"],
  input: (z) => ({
    run_id: runIdInput(z),
  }),
  async preview(ctx, input) {
    const run = await whichRun(ctx, input.run_id, true);
    // The array may still be running after its follower is gone.
    const array = isFinal(run.status) ? await ctx.runs.arrayOf(run.runId) : null;
    if (isFinal(run.status) && array === null) throw over(run);
    const what = array === null ? "" : `what engine ${array.engine} still does for `;
    return {
      // The status is left out: a run that goes from queued to running is still the one that was meant.
      facts: {
        run_id: run.runId,
        action: run.action,
        ecosystem: run.ecosystem,
        engine: array?.engine ?? null,
      },
      summary: `Would cancel ${what}${run.action} run:${run.runId.slice(0, 8)}.`,
      effects: [`End ${what}${run.action} of ${run.ecosystem}, run ${run.runId.slice(0, 8)}`],
      irreversible: "What the run has done so far stays as it is.",
      current: `The run ${statusPhrase(run.status, run.error)}`,
      alternatives: [`Watch it: amof runs logs ${run.runId.slice(0, 8)} --follow`],
    };
  },
  async execute(ctx, _input, facts) {
    const run = await ctx.runs.cancel(facts.run_id);
    const array = await ctx.runs.endArrayOf(run);
    if (run.status !== "cancelled" && array === null) throw over(run);
    const data: CancelData = {
      run_id: run.runId,
      ecosystem: run.ecosystem,
      status: run.status,
      ...(array === null ? {} : { array }),
    };
    return array?.confirmed === false ? { data, failure: unconfirmed(run, array) } : { data };
  },
  render: ({ run_id, array }: CancelData) => ({
    summary: array === undefined
      ? `Cancelled run:${run_id.slice(0, 8)}.`
      : `Ended what engine ${array.engine} still did for run:${run_id.slice(0, 8)}.`,
  }),
});
