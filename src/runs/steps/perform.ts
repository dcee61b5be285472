/**
 * Carries out journaled steps: all of them or none of them, also across a crash (STEP-1 to STEP-3).
 *
 * Before each step the journal says that it begins, afterwards that it is done. When a step fails before the
 * point of no return, everything begun so far is taken back in reverse order; behind that point the rest is
 * still done. What a killed process left is settled the same way by {@linkcode recover}.
 */

import type { RunId } from "../../base/ids.ts";
import { join } from "@std/path";
import { AmofError, reasonOf } from "../../base/error.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { insist } from "../../state/store/sql.ts";
import type { JournalEntry, JournalStep, Store, UnfinishedJournal } from "../../state/store/mod.ts";
import type { Lifetime } from "../../git/mod.ts";
import { inPool } from "../../base/async/pool.ts";
import { endProgramsOf } from "../mark.ts";
import { ioErrorFacts } from "../../base/io_error.ts";
import { findOperation, NothingTouched, type Operation, type OperationTable } from "./operation.ts";

/** A step that could not be taken back. */
interface LeftStep {
  readonly what: string;
  readonly error: unknown;
}

/** The same context, for work that an interrupt must not stop. */
function undisturbed(ctx: ExecuteContext): ExecuteContext {
  return { ...ctx, git: ctx.git.until(), signal: new AbortController().signal };
}

/** Removes the locks that a killed git left in the repositories of begun steps (STEP-6). */
async function removeLocks(
  ctx: ExecuteContext,
  operations: OperationTable,
  entries: readonly JournalEntry[],
  lifetime: Lifetime,
): Promise<void> {
  const places = new Set(
    entries.filter((entry) => entry.state !== "planned").flatMap((entry) =>
      findOperation(operations, entry.op).touches?.(entry.args) ?? []
    ),
  );
  for (const place of places) {
    for (const lock of await ctx.git.at(place).removeStaleLocks(lifetime)) {
      ctx.report.log("warn", `Removed a lock that a killed git left: ${lock}`, { type: "undo" });
    }
  }
}

/**
 * Takes steps back, last first; answers those that could not be. Earlier steps in the same places, which rely on
 * them, then stay as they are; so do steps whose places are unknown. Locks that a git left which was killed within
 * `lifetime` are removed first. An interrupt does not stop it.
 */
export async function retreat(
  interrupted: ExecuteContext,
  tools: { readonly table: Store["journal"]; readonly operations: OperationTable },
  { runId, entries, lifetime }: {
    readonly runId: RunId;
    readonly entries: readonly JournalEntry[];
    readonly lifetime: Lifetime | null;
  },
): Promise<LeftStep[]> {
  const ctx = undisturbed(interrupted);
  if (lifetime !== null) await removeLocks(ctx, tools.operations, entries, lifetime);
  const left: LeftStep[] = [];
  const stuck = new Set<string>();
  let all = false;
  for (const entry of entries.toReversed()) {
    const operation = findOperation(tools.operations, entry.op);
    if (operation.undo === undefined) continue;
    const what = operation.describe(entry.args);
    const places = operation.touches?.(entry.args) ?? null;
    if (all || left.length > 0 && (places === null || places.some((place) => stuck.has(place)))) {
      ctx.report.log("warn", `Left for later: ${what}`, { type: "undo" });
      // Earlier steps in the same places are kept, because the step that stays relies on them.
      for (const place of places ?? []) stuck.add(place);
      all ||= places === null;
      continue;
    }
    ctx.report.log("warn", `Undo: ${what}`, {
      type: "undo",
      payload: { seq: entry.seq, op: entry.op },
    });
    await insist(ctx.system.clock, () => tools.table.mark(runId, entry.seq, "undoing"));
    try {
      await operation.undo(ctx, entry.args);
      await insist(ctx.system.clock, () => tools.table.mark(runId, entry.seq, "undone"));
    } catch (error) {
      left.push({ what, error });
      for (const place of places ?? []) stuck.add(place);
      all ||= places === null;
      ctx.report.log("error", `Could not undo "${what}": ${reasonOf(error)}`, { type: "undo" });
    }
  }
  return left;
}

/** How a hint ends that leads to a repair. */
const REPAIR = "\nThen: amof doctor --repair";

/** A hint of which the rest is done by a repair, and not by the same command again. */
function repairing(hint: string): string {
  return hint.replace(/, then repeat$/, "").replace(REPAIR, "") + REPAIR;
}

/** What could not be taken back, one line each, and what a person does about it. */
export function whatIsLeft(
  left: readonly LeftStep[],
): { readonly lines: string[]; readonly hint: string } {
  // For an error of git without a known reason there is no specific fix.
  const first = left.find(({ error }) =>
    error instanceof AmofError && (error.code !== "git_failed" || error.details["kind"] !== "other")
  )?.error;
  return {
    lines: left.map(({ what, error }) => `${what}: ${reasonOf(error)}`),
    hint: repairing(first instanceof AmofError ? first.hint : "Fix the cause"),
  };
}

/** A failure as an error that says what it is. */
function knownError(failure: unknown): AmofError {
  if (failure instanceof AmofError) return failure;
  const io = ioErrorFacts(failure);
  return new AmofError(
    io === null ? "internal_error" : "file_failed",
    reasonOf(failure),
    io === null ? { cause: failure } : { details: { kind: io.kind }, cause: failure },
  );
}

/** The failure of a step that nothing takes back: what is left of the work is done later. */
function toBeFinished(failure: unknown): AmofError {
  const { code, message, hint, details, exit } = knownError(failure);
  return new AmofError(code, message, {
    hint: repairing(hint),
    details,
    exit,
    cause: failure,
  });
}

/** The failure with what could not be taken back, and what to do about it where that is another thing. */
export function withLeftBehind(
  failure: unknown,
  leftBehind: readonly string[],
  hint?: string,
): AmofError {
  const known = knownError(failure);
  return new AmofError(known.code, known.message, {
    hint: hint ?? known.hint,
    details: { ...known.details, left_behind: leftBehind },
    exit: known.exit,
    cause: failure,
  });
}

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

/** Steps of one repository, in their order. */
type Chain = readonly JournalEntry[];

/**
 * In which stages steps are done: one stage after the other, and within a stage its chains at once. A stage ends before
 * a step that may depend on others, before another phase, before the second chain of a repository, and at the point of no
 * return.
 */
export function stagesOf(
  entries: readonly JournalEntry[],
  operations: OperationTable,
  pointOfNoReturn: number | null,
): readonly (readonly Chain[])[] {
  const stages: JournalEntry[][][] = [];
  let stage = new Map<string, JournalEntry[]>();
  let last: string | null = null;
  let now: Operation["phase"];
  for (const entry of entries) {
    const { phase, touches } = findOperation(operations, entry.op);
    const place = phase === undefined ? null : touches?.(entry.args).join("\0") ?? null;
    const goesOn = place !== null && phase === now && entry.seq !== pointOfNoReturn;
    const chain = goesOn && place === last ? stage.get(place) : undefined;
    if (chain !== undefined) chain.push(entry);
    else if (goesOn && !stage.has(place)) {
      const begun = [entry];
      stage.set(place, begun);
      stages.at(-1)?.push(begun);
    } else {
      const begun = [entry];
      stage = new Map(place === null ? [] : [[place, begun]]);
      stages.push([begun]);
    }
    [last, now] = [place, place === null ? undefined : phase];
  }
  return stages;
}

/** Chains of repositories that share a git directory as one: git takes locks in there, and waits for none. */
async function apart(
  ctx: ExecuteContext,
  operations: OperationTable,
  chains: readonly Chain[],
): Promise<readonly Chain[]> {
  if (chains.length < 2) return chains;
  const shared = new Map<string, JournalEntry[]>();
  for (const chain of chains) {
    const [first] = chain;
    const [place = ""] = first === undefined
      ? []
      : findOperation(operations, first.op).touches?.(first.args) ?? [];
    const key = await ctx.git.at(place).commonDirectory() ?? place;
    shared.set(key, [...shared.get(key) ?? [], ...chain]);
  }
  return [...shared.values()];
}

/** Does the steps that are not done yet; each is marked before and after. */
async function advance(
  ctx: ExecuteContext,
  tools: JournalTools,
  { runId, entries, pointOfNoReturn }: {
    readonly runId: RunId;
    readonly entries: readonly JournalEntry[];
    readonly pointOfNoReturn: number | null;
  },
): Promise<void> {
  const waiting = entries.filter(({ state }) => state !== "done");
  let done = entries.length - waiting.length;
  const carryOut = async (entry: JournalEntry): Promise<void> => {
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
    ctx.report.progress(++done, entries.length, what);
  };
  for (const chains of stagesOf(waiting, tools.operations, pointOfNoReturn)) {
    await inPool(ctx.jobs, await apart(ctx, tools.operations, chains), async (chain) => {
      for (const entry of chain) await carryOut(entry);
    });
  }
}

/** A file that is there while a journal is open, so that readers need not open the store to know that none is. */
export function unfinishedMarker({ state }: ExecuteContext["layout"], runId: string): string {
  return join(state, "unfinished", runId);
}

async function close(
  ctx: ExecuteContext,
  tools: JournalTools,
  runId: RunId,
  outcome: "done" | "undone",
): Promise<void> {
  await insist(ctx.system.clock, () => tools.table.close(runId, outcome));
  await ctx.system.files.remove(unfinishedMarker(ctx.layout, runId));
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
  await ctx.system.files.create(unfinishedMarker(ctx.layout, runId), "");
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
    if (isBeyond(entries, pointOfNoReturn)) throw toBeFinished(failure);
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
 * Does work while a journal is open (STEP-4). Its steps are taken back only if the process dies meanwhile, or
 * if the work leaves them for later. Whatever else the work answers or throws closes the journal.
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
  await ctx.system.files.create(unfinishedMarker(ctx.layout, runId), "");
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
