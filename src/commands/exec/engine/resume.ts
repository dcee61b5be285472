/** Goes on with an array whose amof was ended: nothing is submitted twice (ENGINE-7). */

import { meansAll } from "../../../contract/all_tickets.ts";
import type { CommandContext, ExecuteContext } from "../../../contract/mod.ts";
import { type SubmissionRecord, Submissions, submittedItems } from "../../../engine/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { type ExecFacts, invocationOfFacts } from "../facts.ts";
import type { OutputForm } from "../output.ts";
import type { ExecPlan, ExecWish } from "../plan.ts";
import { rerunOf } from "../retry.ts";
import type { ExecRow } from "../answer.ts";
import { resumeFar } from "./run.ts";

/** What a run has left on an engine; throws where there is nothing any more, or never was. */
async function requireArray(
  ctx: Pick<CommandContext, "system" | "layout">,
  run: string,
): Promise<SubmissionRecord> {
  const record = await new Submissions(ctx.system.files, ctx.layout).get(run);
  const why = record === null
    ? "it ran on no engine"
    : record.phase === "settled"
    ? "its array is over, and everything was collected"
    : null;
  if (record !== null && why === null) return record;
  throw new AmofError("invalid_arguments", `Cannot go on with run ${run.slice(0, 8)}: ${why}`, {
    hint: `See how it ended: amof runs summary ${run.slice(0, 8)}`,
    details: { run_id: run },
  });
}

/** Looks up what an earlier run began. */
export async function planResume(ctx: CommandContext, run: string): Promise<ExecPlan> {
  const { facts, runId } = await rerunOf(ctx, run, { isAll: false, why: "resume" });
  await requireArray(ctx, runId);
  return { invocation: invocationOfFacts(facts), facts: { ...facts, resumes: runId } };
}

/** The engine that an earlier run was on; undefined for the workspace. */
export async function engineOfRun(
  ctx: CommandContext,
  run: string,
  wish: Pick<ExecWish, "all_tickets">,
): Promise<string | undefined> {
  const { facts } = await rerunOf(ctx, run, { isAll: meansAll(wish) });
  return facts.far?.name;
}

/** Brings the array of an earlier run to its end; answers a row for each repository. */
export async function runResume(
  ctx: ExecuteContext,
  facts: ExecFacts,
  output: OutputForm,
): Promise<readonly ExecRow[]> {
  const record = await requireArray(ctx, facts.resumes ?? "");
  const submissions = new Submissions(ctx.system.files, ctx.layout);
  const items = submittedItems(await submissions.plan(record.run)).map(({ repo }) => repo);
  ctx.report.log("info", `Going on with run ${record.run.slice(0, 8)}`, {
    type: "state",
    payload: { exec: facts },
    lasting: true,
  });
  return await resumeFar(ctx, { facts, record, items, output });
}
