/**
 * In which order repositories change branches with their uncommitted work, so that all of them do or none.
 *
 * First everything that can fail without touching anything: whether the work that comes back fits, and keeping the
 * work that goes. Then repository by repository the change itself. Kept work that was brought back is forgotten last,
 * behind the point of no return: until then whatever happened can be taken back from it.
 */

import type { ExecuteContext } from "../../contract/mod.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import { bringBack, checkReturn, clearChanges, forgetKept, keepChanges } from "./steps/kept.ts";

/** How one repository changes. */
export interface BranchMove {
  readonly repo: string;
  readonly directory: string;
  /** The branch it is on. */
  readonly from: string;
  /** What must be there before, such as a branch that is fetched first. */
  readonly first: readonly JournalStep[];
  /** What its uncommitted work is kept as, or null when there is none. */
  readonly keep: string | null;
  /** The change of the branch, or null when it stays. */
  readonly change: JournalStep | null;
  /** The branch it is on afterwards. */
  readonly to: string;
  /** The commit it is on afterwards. */
  readonly target: string;
  /** Kept work that comes back, or null. */
  readonly back: { readonly name: string; readonly stash: string } | null;
}

/** What is done around moves: before any of them, and once none of them can be taken back any more. */
interface Around {
  readonly first: readonly JournalStep[];
  readonly last: readonly JournalStep[];
}

/** Carries out moves, and with them `others`, such as writing the state. */
export async function performBranchMoves(
  ctx: ExecuteContext,
  moves: readonly BranchMove[],
  others: readonly JournalStep[],
  around: Around = { first: [], last: [] },
): Promise<void> {
  const steps = moves.map((move) => {
    const { repo, directory, from, to, target, keep, change, back } = move;
    const where = { repo, directory };
    const kept = keep === null
      ? null
      : { ...where, branch: from, name: keep, id: ctx.system.ids.hex(16) };
    const returning = back === null ? null : { ...where, branch: to, ...back };
    return {
      first: [
        ...move.first,
        ...(returning === null ? [] : [checkReturn.step({ ...returning, target })]),
      ],
      keep: kept === null ? [] : [keepChanges.step(kept)],
      change: [
        ...(kept === null ? [] : [clearChanges.step(kept)]),
        ...(change === null ? [] : [change]),
        ...(returning === null ? [] : [bringBack.step(returning)]),
      ],
      last: back === null ? [] : [forgetKept.step({ ...where, ...back })],
    };
  });
  const undoable = [
    ...around.first,
    ...steps.flatMap(({ first }) => first),
    ...steps.flatMap(({ keep }) => keep),
    ...steps.flatMap(({ change }) => change),
    ...others,
  ];
  const last = [...around.last, ...steps.flatMap((one) => one.last)];
  await ctx.perform(
    [...undoable, ...last],
    ...(last.length === 0 ? [] as const : [undoable.length] as const),
  );
}
