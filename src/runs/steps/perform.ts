/**
 * Carries out journaled steps: all of them or none of them, also across a crash (STEP-1 to STEP-3).
 *
 * Before each step the journal says that it begins, afterwards that it is done. When a step fails before the
 * point of no return, everything begun so far is taken back in reverse order; behind that point the rest is
 * still done. What a killed process left is settled the same way by {@linkcode recover}.
 */

import type { RunId } from "../../base/ids.ts";
import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { insist } from "../../state/store/insist.ts";
import type { JournalEntry, JournalStep, Store, UnfinishedJournal } from "../../state/store/mod.ts";
import type { Lifetime } from "../../git/mod.ts";
import { endProgramsOf } from "../mark.ts";
import { findOperation, NothingTouched, type OperationTable } from "./operation.ts";
import { removeLocks, retreat, undisturbed, whatIsLeft, withLeftBehind } from "./retreat.ts";

/** A git of a dead program may have begun something this long after the last sign of life of the program. */
const AFTERLIFE_MS = 60_000;

interface JournalTools {
  readonly table: Store["journal"];
  readonly operations: OperationTable;
}

/** How an unfinished journal was settled. */
export interface Settled {
  readonly run_id: string;
  readonly action: string;
  /** The command that was interrupted, with its arguments. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly outcome: "finished" | "undone" | "tidied up";
  readonly steps: number;
}

/** Does steps from a given one on; each is marked before and after. */
async function advance(
  ctx: ExecuteContext,
  tools: JournalTools,
  { runId, entries, pointOfNoReturn }: {
    readonly runId: RunId;
    readonly entries: readonly JournalEntry[];
    readonly pointOfNoReturn: number | null;
  },
): Promise<void> {
  for (const entry of entries) {
    if (entry.state === "done") continue;
    const stoppable = pointOfNoReturn === null || entry.seq < pointOfNoReturn;
    const operation = findOperation(tools.operations, entry.op);
    const what = operation.describe(entry.args);
    if (stoppable && ctx.signal.aborted) {
      throw new AmofError("cancelled", `Stopped before "${what}"`);
    }
    ctx.report.log("info", what, { type: "step", payload: { seq: entry.seq, op: entry.op } });
    const begin = () => tools.table.mark(runId, entry.seq, "begun");
    // A step that can still be undone fails at once if the database is held by another program; later steps wait for
    // it.
    if (stoppable) begin();
    else await insist(ctx.system.clock, begin);
    try {
      await operation.act(stoppable ? ctx : undisturbed(ctx), entry.args);
    } catch (error) {
      if (error instanceof NothingTouched && stoppable) {
        await insist(ctx.system.clock, () => tools.table.mark(runId, entry.seq, "undone"));
      }
      throw error;
    }
    await insist(ctx.system.clock, () => tools.table.mark(runId, entry.seq, "done"));
    ctx.report.progress(entry.seq + 1, entries.length, what);
  }
}

/** A file that is there while a journal is open, so that readers need not open the store to know that none is. */
function marker(ctx: ExecuteContext, runId: RunId): string {
  return join(ctx.layout.state, "unfinished", runId);
}

async function close(
  ctx: ExecuteContext,
  tools: JournalTools,
  runId: RunId,
  outcome: "done" | "undone",
): Promise<void> {
  await insist(ctx.system.clock, () => tools.table.close(runId, outcome));
  await ctx.system.files.remove(marker(ctx, runId));
}

/** Whether the work has gone so far that it is finished rather than undone. */
function isBeyond(entries: readonly JournalEntry[], pointOfNoReturn: number | null): boolean {
  return pointOfNoReturn !== null &&
    entries.some((entry) =>
      entry.seq >= pointOfNoReturn && (entry.state === "begun" || entry.state === "done")
    );
}

function begun(journal: UnfinishedJournal | undefined): JournalEntry[] {
  return (journal?.entries ?? []).filter((entry) =>
    entry.state !== "planned" && entry.state !== "undone"
  );
}

/**
 * Carries out steps under the run's journal.
 *
 * Throws the failure of a step after everything was taken back; `details.left_behind` names what could not
 * be. Behind the point of no return the failure is thrown with the journal open, so that the next command
 * goes on.
 */
export async function perform(
  ctx: ExecuteContext,
  tools: JournalTools,
  { runId, steps, pointOfNoReturn = null }: {
    readonly runId: RunId;
    readonly steps: readonly JournalStep[];
    readonly pointOfNoReturn?: number | null | undefined;
  },
): Promise<void> {
  await ctx.system.files.create(marker(ctx, runId), "");
  tools.table.open(runId, steps, pointOfNoReturn);
  const planned = steps.map((step, seq): JournalEntry => ({ ...step, seq, state: "planned" }));
  const from = ctx.system.clock.now();
  const current = () =>
    tools.table.unfinished(ctx.root, ctx.ecosystem).find((journal) => journal.runId === runId);
  try {
    await advance(ctx, tools, { runId, entries: planned, pointOfNoReturn });
    await close(ctx, tools, runId, "done");
  } catch (failure) {
    const entries = begun(await insist(ctx.system.clock, current));
    if (isBeyond(entries, pointOfNoReturn)) throw failure;
    const left = await retreat(ctx, tools, {
      runId,
      entries,
      lifetime: deadTime(failure, from, ctx),
    });
    if (left.length === 0) {
      await close(ctx, tools, runId, "undone");
      throw failure;
    }
    const { lines, hint } = whatIsLeft(left);
    throw withLeftBehind(failure, lines, hint);
  }
}

/**
 * Does work while a journal stands open whose steps are taken back only if the process dies over it, or if the work
 * leaves them for later (STEP-4). Whatever else the work answers or throws closes the journal.
 */
export async function watchOver<T>(
  ctx: ExecuteContext,
  tools: JournalTools,
  { runId, steps }: {
    readonly runId: RunId;
    readonly steps: readonly JournalStep[];
  },
  work: (later: (step: JournalStep) => void) => Promise<T>,
): Promise<T> {
  const left = new Set<JournalStep>();
  const later = (step: JournalStep): void => void left.add(step);
  if (steps.length === 0) return await work(later);
  await ctx.system.files.create(marker(ctx, runId), "");
  tools.table.open(runId, steps, null, "begun");
  try {
    return await work(later);
  } finally {
    if (left.size === 0) await close(ctx, tools, runId, "done");
    for (const [seq, step] of left.size === 0 ? [] : steps.entries()) {
      if (left.has(step)) continue;
      await insist(ctx.system.clock, () => tools.table.mark(runId, seq, "undone"));
    }
  }
}

/** When a git of this process may have been killed over its locks; never where another git was in the way. */
function deadTime(failure: unknown, from: number, ctx: ExecuteContext): Lifetime | null {
  const held = failure instanceof AmofError && failure.details["kind"] === "lock";
  return held ? null : { from, to: ctx.system.clock.now() };
}

/**
 * Settles what a dead process left: undoes it, or finishes it when it was beyond its point of no return.
 *
 * Throws `state_corrupt` with `details.left_behind` when something could not be settled; the journal stays open then.
 */
export async function recover(
  ctx: ExecuteContext,
  tools: JournalTools,
  journal: UnfinishedJournal,
): Promise<Settled> {
  const settled = (outcome: Settled["outcome"]): Settled => ({
    run_id: journal.runId,
    action: journal.action,
    tool: journal.tool,
    args: journal.args,
    outcome,
    steps: journal.entries.length,
  });
  // A git process that the dead program left running could change files while they are being restored.
  await endProgramsOf({ runId: journal.runId, worker: null, inline: true }, ctx.system);
  const lifetime: Lifetime = { from: journal.createdAt, to: journal.livedAt + AFTERLIFE_MS };
  if (isBeyond(journal.entries, journal.pointOfNoReturn)) {
    await removeLocks(ctx, tools.operations, journal.entries, lifetime);
    await advance(ctx, tools, {
      runId: journal.runId,
      entries: journal.entries,
      pointOfNoReturn: 0,
    });
    await close(ctx, tools, journal.runId, "done");
    return settled("finished");
  }
  const left = await retreat(ctx, tools, {
    runId: journal.runId,
    entries: begun(journal),
    lifetime,
  });
  if (left.length > 0) {
    const { lines, hint } = whatIsLeft(left);
    throw new AmofError(
      "state_corrupt",
      `Cannot undo all of the interrupted ${journal.action}: ${lines[0]}`,
      { hint, details: { run_id: journal.runId, left_behind: lines } },
    );
  }
  await close(ctx, tools, journal.runId, "undone");
  const tidied = journal.entries.every((entry) =>
    findOperation(tools.operations, entry.op).tidies === true
  );
  return settled(tidied ? "tidied up" : "undone");
}
