/**
 * The steps that tickets are made of. Each can be repeated and taken back after an interruption at any point.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import { operation } from "../journal/mod.ts";

/** Arguments that name a repository; a type alias, so that it counts as plain JSON. */
type InRepo = { readonly repo: string; readonly directory: string };

/** Goes from one branch to another that exists. */
export const switchBranch = operation<InRepo & { readonly from: string; readonly to: string }>({
  name: "switch_branch",
  describe: ({ repo, to }) => `Switch ${repo} to ${to}`,
  async act(ctx, { repo, directory, to }) {
    if (await ctx.git.branches.current(directory) !== to) {
      await ctx.git.branches.switchTo(directory, to, repo);
    }
  },
  async undo(ctx, { repo, directory, from, to }) {
    if (await ctx.git.branches.current(directory) === to) {
      await ctx.git.branches.switchTo(directory, from, repo);
    }
  },
});

/** Makes a branch at a commit and goes to it; `track` follows the remote branch of that name. */
export const createBranch = operation<
  InRepo & {
    readonly from: string;
    readonly branch: string;
    readonly start: string;
    readonly track: boolean;
  }
>({
  name: "create_branch",
  describe: ({ repo, branch }) => `Create ${branch} in ${repo}`,
  async act(ctx, { repo, directory, branch, start, track }) {
    if (await ctx.git.branches.current(directory) === branch) return;
    await ctx.git.branches.create(
      directory,
      branch,
      repo,
      track ? `origin/${branch}` : start,
      track,
    );
  },
  async undo(ctx, { repo, directory, from, branch, start }) {
    if (await ctx.git.branches.current(directory) === branch) {
      await ctx.git.branches.switchTo(directory, from, repo);
    }
    // A branch on which somebody works meanwhile stays.
    await ctx.git.refs.deleteUnused(directory, `refs/heads/${branch}`, start);
  },
});

/** Fetches a branch of the remote that nobody here knows yet; throws when it moved since it was looked at. */
export const fetchBranch = operation<
  InRepo & { readonly branch: string; readonly commit: string }
>({
  name: "fetch_branch",
  describe: ({ repo, branch }) => `Fetch ${branch} of ${repo}`,
  async act(ctx, { repo, directory, branch, commit }) {
    const ref = `refs/remotes/origin/${branch}`;
    if (await ctx.git.refs.resolve(directory, ref) === commit) return;
    await ctx.git.remotes.fetchBranch(
      directory,
      branch,
      repo,
      (stream, line) => ctx.report.log("debug", `${repo}: ${line}`, { stream }),
    );
    const found = await ctx.git.refs.resolve(directory, ref);
    if (found === commit) return;
    throw new AmofError(
      "git_failed",
      `Cannot start on ${branch} of "${repo}": somebody pushed to it meanwhile`,
      { hint: "Repeat the command", details: { repo, branch, expected: commit, found } },
    );
  },
  // What is known of a remote is no work of the user's, and true all the same.
  async undo() {},
});

/** Puts uncommitted work away under a name. */
export const stashSave = operation<InRepo & { readonly name: string }>({
  name: "stash_save",
  describe: ({ repo, name }) => `Stash the changes of ${repo} as ${name}`,
  async act(ctx, { repo, directory, name }) {
    if (await ctx.git.stashes.find(directory, name) === null) {
      await ctx.git.stashes.save(directory, name, repo);
    }
  },
  async undo(ctx, { repo, directory, name }) {
    const stash = await ctx.git.stashes.find(directory, name);
    if (stash !== null) await ctx.git.stashes.pop(directory, stash, repo);
  },
});

/** Brings back work that was put away under a name. */
export const stashRestore = operation<InRepo & { readonly name: string }>({
  name: "stash_restore",
  describe: ({ repo, name }) => `Restore the changes of ${repo} from ${name}`,
  async act(ctx, { repo, directory, name }) {
    const stash = await ctx.git.stashes.find(directory, name);
    if (stash !== null) await ctx.git.stashes.pop(directory, stash, repo);
  },
  async undo(ctx, { repo, directory, name }) {
    const status = await ctx.git.status(directory, repo);
    if (await ctx.git.stashes.find(directory, name) === null && status.changes.length > 0) {
      await ctx.git.stashes.save(directory, name, repo);
    }
  },
});

/** Deletes a local branch that still points to a commit. */
export const deleteBranch = operation<
  InRepo & { readonly branch: string; readonly commit: string }
>({
  name: "delete_branch",
  describe: ({ repo, branch }) => `Delete ${branch} in ${repo}`,
  async act(ctx, { repo, directory, branch, commit }) {
    const ref = `refs/heads/${branch}`;
    if (await ctx.git.refs.resolve(directory, ref) === null) return;
    if (!await ctx.git.refs.delete(directory, ref, commit)) {
      throw new AmofError("would_lose_work", `Left ${branch} of "${repo}" alone: it has moved`);
    }
  },
  async undo(ctx, { directory, branch, commit }) {
    await ctx.git.refs.create(directory, `refs/heads/${branch}`, commit);
  },
});

/** The operations of this domain. */
export const TICKET_OPERATIONS = [
  switchBranch,
  createBranch,
  fetchBranch,
  stashSave,
  stashRestore,
  deleteBranch,
];
