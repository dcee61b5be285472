/**
 * What an earlier run has left to do: its deed, and the repositories where it did not end well (EXEC-9).
 *
 * @module
 */

import type { CommandContext } from "../contract/mod.ts";
import type { RunId } from "../ids.ts";
import { AmofError } from "../error.ts";
import type { ExecFacts } from "./exec_facts.ts";

/** What is to be repeated. */
export interface Rerun {
  readonly facts: ExecFacts;
  /** The repositories where it did not end well. */
  readonly left: ReadonlySet<string>;
}

/** How many events are read at once. */
const PIECE = 1_000;
/** Among how many first events it stands what a run was to do. */
const FIRST = 10;

/** The repositories of a run that was cut off in which it had ended well by then, as its log says. */
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

/** Reads a run; throws where it ran nothing in repositories of this ecosystem, or has not ended. */
export async function rerunOf(ctx: CommandContext, id: string): Promise<Rerun> {
  const run = await ctx.findRun(id);
  const facts = run.action === "exec" ? await factsOf(ctx, run.runId) : null;
  const refuse = (why: string, hint: string) =>
    new AmofError("invalid_arguments", `Cannot repeat run ${run.runId.slice(0, 8)}: ${why}`, {
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
  if (run.finishedAt === null) {
    throw refuse("it goes on", `Follow it: amof runs logs ${run.runId.slice(0, 8)} --follow`);
  }
  const result = run.result as { repos?: readonly { name: string; outcome: string }[] } | null;
  const done = Array.isArray(result?.repos)
    ? new Set(result.repos.filter(({ outcome }) => outcome === "ok").map(({ name }) => name))
    : await doneBefore(ctx, run.runId);
  const left = facts.repos.map(({ name }) => name).filter((name) => !done.has(name));
  return { facts, left: new Set(left) };
}
