/** The steps that only restoring an archive needs. */

import { operation } from "../../runs/steps/mod.ts";
import type { LocalBranch } from "../../git/mod.ts";

/**
 * Makes the branches of a fresh clone again, as far as their commits still exist, and checks out the one that was
 * checked out. Taken back with the clone itself.
 */
export const restoreBranches = operation<
  {
    readonly repo: string;
    readonly directory: string;
    readonly branches: readonly LocalBranch[];
    /** The branch to check out; null to stay on the base branch. */
    readonly current: string | null;
  }
>({
  name: "restore_branches",
  touches: ({ directory }) => [directory],
  describe: ({ repo }) => `Restore the branches of ${repo}`,
  async act(ctx, { repo, directory, branches, current }) {
    const repository = ctx.git.at(directory, repo);
    const there = await repository.refs.list(["refs/heads", "refs/remotes"]);
    for (const { name, commit, upstream } of branches) {
      // The base branch was just cloned and may be newer than the record, so it is kept.
      if (there.has(`refs/heads/${name}`)) continue;
      if (await repository.refs.resolve(commit) === null) {
        ctx.report.log("warn", `${repo}: ${name} is lost: its remote no longer has ${commit}`);
        continue;
      }
      await repository.refs.create(`refs/heads/${name}`, commit);
      if (upstream !== null && there.has(`refs/remotes/${upstream}`)) {
        await repository.branches.setUpstream(name, upstream);
      }
    }
    if (current === null || await repository.branches.current() === current) return;
    if (await repository.refs.resolve(`refs/heads/${current}`) === null) return;
    await repository.branches.switchTo(current);
  },
});

/** Makes a branch of the control repository again that was deleted with its workspace. */
export const restoreRef = operation<
  { readonly root: string; readonly branch: string; readonly commit: string }
>({
  name: "restore_ref",
  touches: ({ root }) => [root],
  describe: ({ branch }) => `Make ${branch} again`,
  async act(ctx, { root, branch, commit }) {
    await ctx.git.at(root).refs.create(`refs/heads/${branch}`, commit);
  },
  async undo(ctx, { root, branch, commit }) {
    await ctx.git.at(root).refs.deleteUnused(`refs/heads/${branch}`, commit);
  },
});

/** The operations of this domain. */
export const ARCHIVE_OPERATIONS = [restoreBranches, restoreRef];
