/** What an earlier run has left to do: its invocation, and the repositories where it did not end well (EXEC-9). */

import { BASE } from "../../../contract/input.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import type { RunId } from "../../../base/ids.ts";
import { AmofError } from "../../../base/error.ts";
import { Submissions } from "../../../engine/mod.ts";
import { type ExecFacts, type ExecPlace, placeLabel } from "./facts.ts";

interface Rerun {
  readonly runId: RunId;
  readonly facts: ExecFacts;
  /** The repositories where it did not end well, by their labels. */
  readonly left: ReadonlySet<string>;
}

/** How many events are read at once. */
const PIECE = 1_000;
/** Among how many first events it stands what a run was to do. */
const FIRST = 10;

/** The labels of the repositories of a run that was cut off in which it had ended well by then, as its log says. */
async function doneBefore(
  ctx: CommandContext,
  runId: RunId,
): Promise<Set<string>> {
  const { events } = await ctx.store();
  const done = new Set<string>();
  for (let after = 0;;) {
    const piece = events.after(runId, after, PIECE);
    for (const event of piece) {
      const { repo, outcome } = (event.payload ?? {}) as { repo?: unknown; outcome?: unknown };
      if (event.type === "repo" && outcome === "ok") done.add(String(repo));
      after = event.seq;
    }
    if (piece.length < PIECE) return done;
  }
}

/** What a run was to do, as the beginning of its log says; null where it did not get so far. */
async function factsOf(ctx: CommandContext, runId: RunId): Promise<ExecFacts | null> {
  const { events } = await ctx.store();
  for (const { payload } of events.after(runId, 0, FIRST)) {
    const { exec } = (payload ?? {}) as { exec?: ExecFacts };
    if (exec !== undefined) return exec;
  }
  return null;
}

/** The command line that repeats a run where it ran. */
export function retryLine(
  { runId, ticket, isAll }: {
    readonly runId: string;
    readonly ticket: string | null;
    readonly isAll: boolean;
  },
): string {
  const where = isAll ? "--all-tickets " : ticket === null ? "" : `--ticket ${ticket} `;
  return `amof exec ${where}--retry-failed ${runId.slice(0, 8)}`;
}

/** Throws while the array of a run is not over: what it began would be begun twice. */
async function requireSettled(
  { system, layout }: Pick<CommandContext, "system" | "layout">,
  { far, resumes }: ExecFacts,
  runId: RunId,
  refuse: (why: string, hint: string) => AmofError,
): Promise<void> {
  // Runs of older versions know of no engine.
  if ((far ?? null) === null) return;
  const submission = await new Submissions(system.files, layout).get(resumes ?? runId);
  if (submission === null || submission.phase === "settled") return;
  throw refuse(
    "its array is not over",
    `Go on with it: amof exec --resume ${runId.slice(0, 8)}`,
  );
}

/** What is to be done with a run: it is repeated, or followed to its end; `isAll` where every workspace is meant now. */
interface Again {
  readonly isAll: boolean;
  readonly why?: "repeat" | "resume";
}

/**
 * Reads a run. Throws where it ran nothing in repositories of this ecosystem, ran in other workspaces, or has not ended;
 * where it is to be repeated also while its array on an engine is not over.
 */
export async function rerunOf(
  ctx: CommandContext,
  id: string,
  { isAll, why = "repeat" }: Again,
): Promise<Rerun> {
  const run = await ctx.runs.find(id);
  const facts = run.action === "exec" ? await factsOf(ctx, run.runId) : null;
  const verb = why === "repeat" ? "repeat" : "go on with";
  const refuse = (why: string, hint: string) =>
    new AmofError("invalid_arguments", `Cannot ${verb} run ${run.runId.slice(0, 8)}: ${why}`, {
      hint,
      details: { run_id: run.runId, action: run.action, ecosystem: run.ecosystem },
    });
  if (
    facts === null || run.root !== ctx.root || run.ecosystem !== ctx.ecosystem
  ) {
    throw refuse(
      `it ran nothing in repositories of "${ctx.ecosystem}"`,
      "List them: amof runs list --action exec",
    );
  }
  const wasAll = facts.repos.some(({ ticket }) => ticket !== undefined);
  if (wasAll !== isAll || run.ticket !== ctx.ticket) {
    const where = wasAll
      ? "in all workspaces"
      : `in the workspace ${run.ticket === null ? "of no ticket" : `of ticket ${run.ticket}`}`;
    const there = retryLine({ ...run, isAll: wasAll });
    throw refuse(
      `it ran ${where}`,
      `Repeat it there: ${
        !wasAll && run.ticket === null ? there.replace("exec ", `exec --ticket ${BASE} `) : there
      }`,
    );
  }
  if (run.finishedAt === null) {
    throw refuse("it goes on", `Follow it: amof runs logs ${run.runId.slice(0, 8)} --follow`);
  }
  if (why === "repeat") await requireSettled(ctx, facts, run.runId, refuse);
  const result = run.result as { repos?: readonly (ExecPlace & { outcome: string })[] } | null;
  const done = Array.isArray(result?.repos)
    ? new Set(result.repos.filter(({ outcome }) => outcome === "ok").map(placeLabel))
    : await doneBefore(ctx, run.runId);
  const left = facts.repos.map(placeLabel).filter((label) => !done.has(label));
  return { runId: run.runId, facts, left: new Set(left) };
}
