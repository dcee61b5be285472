/**
 * The steps by which uncommitted work of a clone goes along into the clone of a new ticket, byte for byte (TICKET-18).
 *
 * It is kept as a snapshot where it comes from, taken out of the way there behind that, and forgotten there last, when
 * the ticket's clone has it.
 */

import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { few } from "../../../base/text/words.ts";
import { Snapshots, stashSubject } from "../../../git/snapshot/mod.ts";
import { operation } from "../../../runs/steps/mod.ts";
import type { InRepo } from "./kept.ts";

/** Brings work that is kept under a name in a clone into one that nobody has worked in yet. */
export const bringChanges = operation<
  InRepo & {
    readonly branch: string;
    /** The clone it comes from. */
    readonly from: string;
    /** What it is kept as there. */
    readonly name: string;
  }
>({
  name: "bring_changes",
  describe: ({ repo }) => `Bring the changes of ${repo}`,
  touches: ({ directory }) => [directory],
  async act(ctx, { repo, directory, from, branch, name }) {
    const kept = await ctx.git.at(from, repo).stashes.find(name);
    if (kept === null) return;
    const clone = ctx.git.at(directory, repo);
    const { remotes, stashes } = clone;
    await remotes.takeFrom(from, [kept.commit]);
    await stashes.store(kept.commit, stashSubject({ branch, name }));
    const { conflicts, strangers } = await clone.part(Snapshots).apply(kept.commit, "kept");
    const paths = [...conflicts, ...strangers];
    if (paths.length > 0) {
      throw new AmofError(
        "would_lose_work",
        `Cannot take the changes of "${repo}" along: ${cleanLine(branch, 60)} has ${
          few(paths.map((path) => cleanLine(path, 80)), 3)
        } otherwise; every repository is as it was`,
        {
          hint: `Commit them first: amof commit --repo ${repo} -m TEXT`,
          details: { repo, paths },
        },
      );
    }
    await stashes.drop(kept.commit);
  },
  // The clone goes with the workspace that is taken back.
  async undo() {},
});

/** Forgets kept work in the clone that it has left, once the other one has it. */
export const leaveChanges = operation<
  InRepo & {
    /** The clone that has it now. */
    readonly now: string;
    readonly name: string;
  }
>({
  name: "leave_changes",
  describe: ({ repo }) => `Forget the changes of ${repo}, which have gone along`,
  touches: ({ directory }) => [directory],
  async act(ctx, { repo, directory, now, name }) {
    const { stashes } = ctx.git.at(directory, repo);
    const kept = await stashes.find(name);
    if (kept === null) return;
    if (await ctx.git.at(now, repo).refs.resolve(kept.commit) !== null) {
      return await stashes.drop(kept.commit);
    }
    ctx.report.log("warn", `${repo}: ${name} stays in the base workspace, too`);
  },
});

/** The operations of work that goes along. */
export const CARRY_OPERATIONS = [bringChanges, leaveChanges];
