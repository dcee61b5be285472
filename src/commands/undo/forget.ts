/** Ends what is kept of operations: each when its run has ended, and all that are too old, or too many (UNDO-6). */

import type { CommandContext } from "../../contract/mod.ts";
import type { Fields } from "../../base/object.ts";
import { timestamp } from "../../base/system/mod.ts";
import { ACTIVE_STATUSES } from "../../state/store/mod.ts";
import type { UndoLimits } from "../../workspace/changing.ts";
import {
  isCutOff,
  keptBytes,
  MB,
  type OperationRecord,
  readOperation,
  recordedRuns,
  runDirectory,
  untilOf,
  writeRecord,
} from "./record.ts";
import { Checkpoints } from "../../git/checkpoint/mod.ts";

/** Forgets one operation: its contents, and the commits that its repositories keep for it. */
async function forget(ctx: CommandContext, record: OperationRecord): Promise<void> {
  const { system, layout, git } = ctx;
  // The contents go first: they are what may be secret.
  await system.files.removeTree(runDirectory(layout, record.run_id));
  for (const { name, directory } of record.repos) {
    const repo = git.at(directory, name);
    const kept = await repo.refs.under([`refs/amof/keep/${record.run_id}/`]);
    await repo.part(Checkpoints).unpin([...kept.keys()]);
  }
}

/** Counts operations, the newest first, until they are more than is kept. */
class Count {
  readonly #limits: Pick<UndoLimits, "runs" | "mb">;
  #runs = 0;
  #bytes = 0;

  constructor(limits: Pick<UndoLimits, "runs" | "mb">) {
    this.#limits = limits;
  }

  /** Whether another one is too much. The newest never is: its run has just said that it can be undone. */
  isTooMuch(bytes: number): boolean {
    this.#runs++;
    this.#bytes += bytes;
    return this.#runs > this.#limits.runs ||
      this.#runs > 1 && this.#bytes > this.#limits.mb * MB;
  }
}

/**
 * Which of all operations are kept no longer: too old, or more than the user keeps of all, or of an ecosystem more than
 * its newest one was kept under. What goes on stays.
 */
function outdated(
  records: readonly OperationRecord[],
  now: number,
  own: UndoLimits,
): OperationRecord[] {
  const all = new Count(own);
  const notes = new Count(own);
  const each = new Map<string, Count>();
  return records.toSorted((a, b) => b.at - a.at).filter((record) => {
    const { root, ecosystem, limits = own, bytes = 0, ended } = record;
    // A note that only says why a run cannot be undone does not count against those that can.
    if (record.stays !== undefined) return untilOf(record) < now || notes.isTooMuch(0) && ended;
    const key = `${root}\n${ecosystem}`;
    const here = each.get(key) ?? new Count(limits);
    each.set(key, here);
    const counts = [all, here].map((count) => count.isTooMuch(bytes));
    return untilOf(record) < now || counts.includes(true) && ended;
  });
}

/** Removes what runs had begun to keep when they were killed, before their record was written: nothing was changed yet. */
async function sweep(ctx: CommandContext, runIds: readonly string[]): Promise<void> {
  const { system, layout } = ctx;
  const { runs } = await ctx.store();
  for (const runId of runIds) {
    const run = runs.get(runId);
    if (run !== null && ACTIVE_STATUSES.includes(run.status)) continue;
    await system.files.removeTree(runDirectory(layout, runId));
  }
}

/** Forgets what is kept no longer, and operations of runs that nobody knows any more. Answers how many. */
export async function prune(ctx: CommandContext): Promise<number> {
  const { system, layout } = ctx;
  const { runs } = await ctx.store();
  const records: OperationRecord[] = [];
  const broken: string[] = [];
  for (const runId of await recordedRuns(system, layout)) {
    const record = await readOperation(system, layout, runId);
    if (record !== null) records.push(record);
    else if (await isCutOff(system, layout, runId)) broken.push(runId);
  }
  const old = new Set([
    ...outdated(records, system.clock.now(), ctx.settings.undo),
    ...records.filter(({ run_id: runId }) => runs.get(runId) === null),
  ]);
  // An undo under way, or one that waits to be settled, still reads what it takes back.
  for (const { ended, undoes } of records) {
    for (const record of ended ? [] : old) if (record.run_id === undoes) old.delete(record);
  }
  for (const record of old) await forget(ctx, record);
  await sweep(ctx, broken);
  return old.size;
}

/** How an answer tells that its run can be undone. */
export interface UndoOffer {
  readonly run_id: string;
  readonly until: string;
  readonly command: string;
}

/** Hears how a run ended: its answer, or null where it threw. Answers how it can be undone, or null where it cannot. */
export type Settle = (data: Fields | null) => Promise<UndoOffer | null>;

/** Writes down that a run has ended, and forgets what is kept no longer. Answers how it is undone. */
export async function finish(
  ctx: CommandContext,
  record: OperationRecord,
): Promise<UndoOffer> {
  const { system, layout } = ctx;
  const { run_id: runId } = record;
  const bytes = await keptBytes(system, layout, runId);
  await writeRecord(system, layout, { ...record, ended: true, bytes });
  await prune(ctx);
  return {
    run_id: runId,
    until: timestamp(untilOf(record)),
    command: `amof undo ${runId.slice(0, 8)}`,
  };
}
