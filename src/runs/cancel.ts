/**
 * `amof runs cancel`: ends a run with everything it started (RUN-10).
 *
 * @module
 */

import { AmofError } from "../error.ts";
import { isFinal, statusPhrase } from "./engine/states.ts";
import { mutation } from "../contract/mod.ts";
import { runIdInput, whichRun } from "./which.ts";

interface CancelData {
  readonly run_id: string;
  readonly ecosystem: string;
  readonly status: string;
}

/** `amof runs cancel`. */
export const cancelRunCommand = mutation({
  name: "amof_cancel_run",
  path: ["runs", "cancel"],
  confined: true,
  toolset: "run",
  scope: "run",
  rootless: true,
  safety: "safe-write",
  confirm: "simple",
  asks: { deed: "cancellation", will: "end the run where it stands" },
  title: "Cancel run",
  summary: "End a run and every process it started; what it has done stays done.",
  positionals: ["run_id"],
  examples: ["runs cancel", "runs cancel 4e8c1d72 --yes"],
  input: (z) =>
    z.strictObject({
      run_id: runIdInput(z),
    }),
  async preview(ctx, input) {
    const run = await whichRun(ctx, input.run_id, true);
    if (isFinal(run.status)) {
      throw new AmofError(
        "invalid_transition",
        `Cannot cancel run ${run.runId.slice(0, 8)}: it ${statusPhrase(run.status, run.exitCode)}`,
        {
          hint: `See how it went: amof runs summary ${run.runId.slice(0, 8)}`,
          details: { run_id: run.runId, status: run.status },
        },
      );
    }
    return {
      // The status is left out: a run that goes from queued to running is still the one that was meant.
      facts: { run_id: run.runId, action: run.action, ecosystem: run.ecosystem },
      summary: `Would cancel ${run.action} run:${run.runId.slice(0, 8)}.`,
      effects: [`End ${run.action} of ${run.ecosystem}, run ${run.runId}`],
      irreversible: "What the run has done so far stays as it is.",
      current: `The run ${statusPhrase(run.status, run.exitCode)}`,
      alternatives: [`Watch it: amof runs logs ${run.runId.slice(0, 8)} --follow`],
    };
  },
  async execute(ctx, _input, facts) {
    const run = await ctx.cancelRun(facts.run_id);
    if (run.status !== "cancelled") {
      throw new AmofError(
        "invalid_transition",
        `Cannot cancel run ${run.runId.slice(0, 8)}: it ${statusPhrase(run.status, run.exitCode)}`,
        {
          hint: `See how it went: amof runs summary ${run.runId.slice(0, 8)}`,
          details: { run_id: run.runId, status: run.status },
        },
      );
    }
    return { data: { run_id: run.runId, ecosystem: run.ecosystem, status: run.status } };
  },
  render: (data: CancelData) => ({ summary: `Cancelled run:${data.run_id.slice(0, 8)}.` }),
});
