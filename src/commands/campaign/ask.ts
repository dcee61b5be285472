/** Asks remotes of a campaign for branches, in the turns that their hosts take (PLAN-4). */

import { join } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { Budgets, budgetsOf, heard, type PlanItem } from "../../engine/mod.ts";
import { AmofError } from "../../base/error.ts";
import { type Git, gitFailure, hostOf, type PushOutcome } from "../../git/mod.ts";
import { Bundles } from "../../git/write/mod.ts";
import type { Sha } from "../../base/ids.ts";

/** Hands out turns to ask the hosts of some repositories, of this one process. */
export class Turns {
  /** How many may ask at once. */
  readonly jobs: number;
  readonly #ctx: CommandContext;
  readonly #budgets: Budgets;

  constructor(ctx: CommandContext, items: readonly Pick<PlanItem, "url">[]) {
    this.#ctx = ctx;
    this.jobs = budgetsOf(items, { parallel: ctx.jobs }, ctx.settings).parallel;
    this.#budgets = new Budgets(budgetsOf(items, { parallel: 1 }, ctx.settings).budgets, {
      clock: ctx.system.clock,
      signal: ctx.signal,
      chance: () => Number.parseInt(ctx.system.ids.hex(4), 16) / 0xffff,
    });
  }

  /**
   * Asks the host of a URL by the git that is handed out, when the host may be asked, and again where it was asked too
   * often. Throws what the work throws.
   */
  async ask<T>(url: string, work: (git: Git) => Promise<T>): Promise<T> {
    const { system, git } = this.#ctx;
    // A path of this machine has no host that could refuse requests.
    if (hostOf(url) === "") return await work(git);
    return await system.files.scratch({}, async (directory) => {
      const talk = join(directory, "talk");
      const hearing = git.overheard(talk);
      return await this.#budgets.turn(url, () => work(hearing), () => heard(system, talk));
    });
  }

  /** The commit that a branch of a remote has, or null. Throws what {@linkcode ask} throws. */
  async branch(url: string, branch: string): Promise<Sha | null> {
    const { root } = this.#ctx;
    return await this.ask(url, (git) => git.at(root).remoteRefs.branch(url, branch));
  }

  /**
   * Sends a commit, or null to delete, to a branch of the host that is `origin` of a repository of ours, in its turn.
   * Throws `remote_unreachable` and its like where git could not ask; a refusal is in the answer.
   */
  async send(
    { repo, url }: { readonly repo: string; readonly url: string },
    place: string,
    bundle: Parameters<Bundles["send"]>[0],
  ): Promise<PushOutcome> {
    return await this.ask(url, async (git) => {
      const sent = await git.bare(place).part(Bundles).send(bundle);
      if (!sent.ok && sent.reason === null) throw gitFailure(sent.result, `push "${repo}"`, repo);
      return sent;
    });
  }
}

/** What a remote answered: the commit of a branch, null where there is none, or why it could not be asked. */
type Answer = { readonly commit: Sha | null } | { readonly why: string };

/** Asks remotes for one branch of each, in turns; answers by the names of repositories. */
export async function askBranches(
  ctx: CommandContext,
  asked: readonly { readonly repo: string; readonly url: string; readonly branch: string }[],
): Promise<ReadonlyMap<string, Answer>> {
  const turns = new Turns(ctx, asked);
  const answers = new Map<string, Answer>();
  await inPool(turns.jobs, asked, async ({ repo, url, branch }) => {
    try {
      answers.set(repo, { commit: await turns.branch(url, branch) });
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      answers.set(repo, { why: error.message });
    }
  });
  return answers;
}
