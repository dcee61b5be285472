/**
 * The steps that only restoring an archive needs.
 *
 * @module
 */

import { operation } from "../steps/mod.ts";
import type { LocalBranch } from "../git/mod.ts";

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
    const there = await ctx.git.refs.list(directory, ["refs/heads", "refs/remotes"], repo);
    for (const { name, commit, upstream } of branches) {
      // The base branch was just cloned and may be newer than the record, so it is kept.
      if (there.has(`refs/heads/${name}`)) continue;
      if (await ctx.git.refs.resolve(directory, commit) === null) {
        ctx.report.log("warn", `${repo}: ${name} is lost: its remote no longer has ${commit}`);
        continue;
      }
      await ctx.git.refs.create(directory, `refs/heads/${name}`, commit);
      if (upstream !== null && there.has(`refs/remotes/${upstream}`)) {
        await ctx.git.branches.setUpstream(directory, name, upstream, repo);
      }
    }
    if (current === null || await ctx.git.branches.current(directory) === current) return;
    if (await ctx.git.refs.resolve(directory, `refs/heads/${current}`) === null) return;
    await ctx.git.branches.switchTo(directory, current, repo);
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
    await ctx.git.refs.create(root, `refs/heads/${branch}`, commit);
  },
  async undo(ctx, { root, branch, commit }) {
    await ctx.git.refs.deleteUnused(root, `refs/heads/${branch}`, commit);
  },
});

/** The operations of this domain. */
export const ARCHIVE_OPERATIONS = [restoreBranches, restoreRef];
