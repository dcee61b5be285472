/** Which run an undo takes back, and whether that would go as things are now (UNDO-3, UNDO-12). */

import { inPool } from "../../base/async/pool.ts";
import { AmofError } from "../../base/error.ts";
import { few } from "../../base/text/words.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { Checkpoints, sameCheckpoint } from "../../git/checkpoint/mod.ts";
import type { Selecting } from "../selection/mod.ts";
import { planRepos, planWhole, ticketsGoBack, type UndoFacts } from "./facts.ts";
import {
  barOf,
  newerThan,
  newestOf,
  newestStays,
  newestThatGoes,
  operationOf,
  operationsHere,
  redoOf,
  restOf,
  whyNot,
} from "./find.ts";
import { around, lookAtRepos, othersOf } from "./plan.ts";
import { BOUNDS, type OperationRecord } from "./record.ts";

/** Why an undo of a run would be refused now, and what to do instead; null where it would go. */
export async function refusalOf(
  ctx: CommandContext,
  record: OperationRecord,
  all: readonly OperationRecord[],
): Promise<{ readonly why: string; readonly fix: string | null } | null> {
  try {
    const looks = await lookAtRepos(ctx, record, restOf(record, all).map(({ name }) => name));
    const obstacles = looks.flatMap((look) => "obstacle" in look ? [look.obstacle] : []);
    const [first] = obstacles;
    if (first === undefined) {
      if (await planWhole(ctx, record, {}) === null) await ticketsGoBack(ctx, record);
      return null;
    }
    // Each repository has a commit of its own.
    const kind = ({ detail }: typeof first) => detail.replace(/^commit [0-9a-f]+/, "a commit");
    const same = obstacles.filter((one) => kind(one) === kind(first));
    return {
      why: `${same.length > 1 ? kind(first) : first.detail} in ${
        few(same.map(({ name }) => name), 3)
      }${
        same.length < obstacles.length
          ? `, and something in ${obstacles.length - same.length} more`
          : ""
      }`,
      fix: around(record, obstacles, othersOf(record, looks))[0] ?? null,
    };
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    return {
      why: error.message.replace(/^Cannot undo run [0-9a-f]+(?: \([^)]*\))?:? /, ""),
      fix: error.hint,
    };
  }
}

/** Tells of a run that records let go back whether it would. */
function goesIn(
  ctx: CommandContext,
  all: readonly OperationRecord[],
): (record: OperationRecord) => Promise<boolean> {
  return async (record) => await refusalOf(ctx, record, all) === null;
}

/** The run that is meant, without RUN the newest; throws `undo_impossible` for one that cannot be taken back. */
async function meantBy(
  ctx: CommandContext,
  all: readonly OperationRecord[],
  run: string | undefined,
): Promise<OperationRecord> {
  const now = ctx.system.clock.now();
  if (run === undefined) return await newestOf(all, now, goesIn(ctx, all));
  const record = operationOf(all, run);
  const why = whyNot(record, all, now);
  if (why === null) return record;
  const { instead } = barOf(record.stays ?? "");
  throw new AmofError(
    "undo_impossible",
    `Cannot undo run ${record.run_id.slice(0, 8)}: ${why}`,
    {
      hint: instead ?? "See what can be undone: amof operations",
      details: { run_id: record.run_id },
    },
  );
}

/** Whether the repositories of a run that was killed are as they were before it. */
async function isAsBefore(ctx: CommandContext, { repos }: OperationRecord): Promise<boolean> {
  const same = await inPool(ctx.jobs, repos, async ({ name, directory, what, before }) => {
    const repo = ctx.git.at(directory, name);
    if (await repo.gitDirectory() === null) return false;
    const checkpoints = repo.part(Checkpoints);
    const now = what === "names" ? await checkpoints.names() : await checkpoints.take(BOUNDS);
    return sameCheckpoint(before, now);
  });
  return same.every((each) => each);
}

/** Throws `undo_impossible` where a run was killed since, and what it did stands: nobody saw how it ended. */
async function refuseUnseen(
  ctx: CommandContext,
  record: OperationRecord,
  all: readonly OperationRecord[],
): Promise<void> {
  for (const killed of newerThan(record, all)) {
    if (killed.ended || killed.stays !== undefined || await isAsBefore(ctx, killed)) continue;
    const older = await newestThatGoes(all, ctx.system.clock.now(), goesIn(ctx, all));
    throw newestStays(killed, "nobody saw how it ended", older);
  }
}

/**
 * Finds the run that is meant, without RUN the newest, and looks at what it left.
 *
 * Throws `undo_impossible` and `undo_stale` with what stands in the way, and `invalid_arguments` for a selection of
 * repositories where a workspace goes or comes whole.
 */
export async function planUndo(
  ctx: CommandContext,
  input: Selecting & { readonly run?: string | undefined },
): Promise<UndoFacts> {
  const all = await operationsHere(ctx);
  const record = await meantBy(ctx, all, input.run);
  if (input.run === undefined) await refuseUnseen(ctx, record, all);
  const { run_id: undone, action } = record;
  const newer = newerThan(record, all).filter(({ ended }) => ended).map(({ run_id, action }) => ({
    run_id,
    action,
  }));
  const whole = await planWhole(ctx, record, input);
  return {
    undone,
    action,
    deed: redoOf(record, all),
    newer,
    lasts: record.lasts ?? null,
    ...{ made: null, gone: null, added: null },
    ...whole === null ? await planRepos(ctx, record, all, input) : { ...NOTHING, ...whole },
  };
}

const NOTHING = { repos: [], left_out: [], tickets: false, tickets_stay: [] } as const;
