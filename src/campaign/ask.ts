/**
 * Asks remotes of a campaign for branches, in the turns that their hosts take (PLAN-4).
 *
 * @module
 */

import { inPool } from "../async/pool.ts";
import type { CommandContext } from "../contract/mod.ts";
import { Budgets, budgetsOf, type PlanItem } from "../engine/mod.ts";
import { AmofError } from "../error.ts";
import type { Sha } from "../ids.ts";

/** Hands out turns to ask hosts, of this one process. */
export function turnsFor(ctx: CommandContext, items: readonly PlanItem[]): {
  readonly jobs: number;
  readonly budgets: Budgets;
} {
  const { parallel: jobs } = budgetsOf(items, { parallel: ctx.jobs }, ctx.settings);
  const { budgets } = budgetsOf(items, { parallel: 1 }, ctx.settings);
  return {
    jobs,
    budgets: new Budgets(budgets, {
      clock: ctx.system.clock,
      signal: ctx.signal,
      chance: () => Number.parseInt(ctx.system.ids.hex(4), 16) / 0xffff,
    }),
  };
}

/** What a remote answered: the commit of a branch, null where there is none, or why it could not be asked. */
type Answer = { readonly commit: Sha | null } | { readonly why: string };

/** Asks remotes for one branch of each, in turns; answers by the names of repositories. */
export async function askBranches(
  ctx: CommandContext,
  asked: readonly { readonly repo: string; readonly url: string; readonly branch: string }[],
): Promise<ReadonlyMap<string, Answer>> {
  const items = asked.map((one) => ({ ...one, commit: null }));
  const { jobs, budgets } = turnsFor(ctx, items);
  const { remoteRefs } = ctx.git.at(ctx.root);
  const answers = new Map<string, Answer>();
  await inPool(jobs, items, async ({ repo, url, branch }) => {
    try {
      const commit = await budgets.turn(url, () => remoteRefs.branch(url, branch));
      answers.set(repo, { commit });
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      answers.set(repo, { why: error.message });
    }
  });
  return answers;
}
