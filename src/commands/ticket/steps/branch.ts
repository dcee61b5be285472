/**
 * The steps that tickets are made of, and end with where their own workspace stays (LEAVE-4). Each can be repeated and
 * taken back after an interruption at any point.
 */

import { join } from "@std/path";
import { AmofError } from "../../../base/error.ts";
import { operation } from "../../../runs/steps/mod.ts";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { list, shellWord } from "../../../base/text/words.ts";
import { ADD_OPERATIONS } from "./add.ts";
import { FORMER_OPERATIONS } from "./former.ts";
import { type InRepo, KEPT_OPERATIONS } from "./kept.ts";
import { CARRY_OPERATIONS } from "./carry.ts";
import { MOVE_OPERATIONS } from "./move.ts";
import { returnKept } from "./update_kept.ts";
import { TICKET_WORKSPACE_OPERATIONS } from "./make_workspace.ts";
import { tidyUpdate } from "./update_tidy.ts";
import { Snapshots } from "../../../git/snapshot/mod.ts";
import { endedFile, recordFile } from "../../../workspace/tickets/mod.ts";

/** Gives a clone all objects that it borrows. */
export const detachClone = operation<InRepo>({
  name: "detach_clone",
  touches: ({ directory }) => [directory],
  describe: ({ repo }) => `Copy what ${repo} borrows, and borrow no more`,
  async act(ctx, { repo, directory }) {
    await ctx.git.at(directory, repo).borrowed.end();
    await ctx.seals.seal([directory]);
  },
});

/** Makes the record of a ticket a note that it was one. */
export const retireRecord = operation<{ readonly directory: string; readonly ticket: string }>({
  name: "retire_ticket_record",
  touches: ({ directory }) => [directory],
  describe: ({ ticket }) => `Make the directory of ${ticket} that of no ticket`,
  async act({ system: { files } }, { directory }) {
    // A link would lead to a file of somebody else.
    if ((await files.lstat(join(directory, ".amof")))?.kind !== "directory") return;
    if (await files.lstat(recordFile(directory)) === null) return;
    await files.rename(recordFile(directory), endedFile(directory));
  },
});

/** The operations of ending a ticket whose workspace stays. */
const KEPT_END_OPERATIONS = [detachClone, retireRecord];

/** Where a branch change comes from and goes to; the commits are absent in journals of older versions. */
type Change = {
  /** The branch it comes from. */
  readonly from: string;
  /** The commit it comes from. */
  readonly head?: string;
  /** The commit it goes to. */
  readonly target?: string;
};

const touches = ({ directory }: InRepo) => [directory];

/** Goes back to the branch a change came from, also where git was cut off while it changed the files. */
async function goBack(
  ctx: ExecuteContext,
  { repo, directory, from, head, target }: InRepo & Change,
  to: string,
): Promise<void> {
  const repository = ctx.git.at(directory, repo);
  const current = await repository.branches.current();
  // Somebody has checked out another branch since; it is left as it is.
  if (current !== from && current !== to) return;
  const other = current === from ? target : head;
  const strangers = other === undefined
    ? []
    : await repository.part(Snapshots).settleCheckout(other);
  const blocked = (what: string, cause?: unknown) =>
    new AmofError(
      "would_lose_work",
      `Left "${repo}" on ${current}: ${what} since the interruption`,
      {
        hint: `Commit that, or put it aside: git -C ${
          shellWord(directory)
        } stash push --include-untracked${
          strangers.length === 0 ? "" : ` -- ${strangers.slice(0, 20).map(shellWord).join(" ")}`
        }`,
        details: { repo, paths: strangers },
        cause,
      },
    );
  if (strangers.length > 0) throw blocked(`${list(strangers.slice(0, 5))} changed`);
  if (current === from) return;
  try {
    await repository.branches.switchTo(from);
  } catch (error) {
    const inTheWay = error instanceof AmofError && error.details["kind"] === "conflict";
    throw inTheWay ? blocked("files changed that git would overwrite", error) : error;
  }
}

/** Goes from one branch to another that exists. */
export const switchBranch = operation<InRepo & Change & { readonly to: string }>({
  name: "switch_branch",
  describe: ({ repo, to }) => `Switch ${repo} to ${to}`,
  touches,
  async act(ctx, { repo, directory, to }) {
    const repository = ctx.git.at(directory, repo);
    if (await repository.branches.current() !== to) {
      await repository.branches.switchTo(to);
    }
  },
  undo: (ctx, args) => goBack(ctx, args, args.to),
});

/** Makes a branch at a commit and goes to it; `track` follows the remote branch of that name. */
export const createBranch = operation<
  InRepo & Change & {
    readonly branch: string;
    readonly start: string;
    readonly track: boolean;
  }
>({
  name: "create_branch",
  describe: ({ repo, branch }) => `Create ${branch} in ${repo}`,
  touches,
  async act(ctx, { repo, directory, branch, start, track }) {
    const repository = ctx.git.at(directory, repo);
    if (await repository.branches.current() === branch) return;
    if (track) await repository.remotes.track(branch);
    await repository.branches.create(branch, {
      start: track ? `origin/${branch}` : start,
      track,
    });
  },
  async undo(ctx, args) {
    const { directory, branch, start } = args;
    await goBack(ctx, { ...args, target: start }, branch);
    // A branch on which somebody works meanwhile stays.
    await ctx.git.at(directory).refs.deleteUnused(`refs/heads/${branch}`, start);
  },
});

/** Fetches a branch of the remote that nobody here knows yet; throws when it moved since it was looked at. */
export const fetchBranch = operation<
  InRepo & { readonly branch: string; readonly commit: string }
>({
  name: "fetch_branch",
  describe: ({ repo, branch }) => `Fetch ${branch} of ${repo}`,
  touches,
  async act(ctx, { repo, directory, branch, commit }) {
    const ref = `refs/remotes/origin/${branch}`;
    const repository = ctx.git.at(directory, repo);
    if (await repository.refs.resolve(ref) === commit) return;
    await repository.remotes.fetchBranch(
      branch,
      (stream, line) => ctx.report.log("debug", `${repo}: ${line}`, { stream }),
    );
    const found = await repository.refs.resolve(ref);
    if (found === commit) return;
    throw new AmofError(
      "repo_changed",
      `Cannot start on ${branch} of "${repo}": somebody pushed to it meanwhile`,
      { hint: "Repeat the command", details: { repo, branch, expected: commit, found } },
    );
  },
  // Remote-tracking branches hold no work of the user and stay correct, so nothing is undone.
  async undo() {},
});

/** Deletes a local branch that still points to a commit. */
export const deleteBranch = operation<
  InRepo & { readonly branch: string; readonly commit: string }
>({
  name: "delete_branch",
  describe: ({ repo, branch }) => `Delete ${branch} in ${repo}`,
  touches,
  async act(ctx, { repo, directory, branch, commit }) {
    const ref = `refs/heads/${branch}`;
    const repository = ctx.git.at(directory);
    if (await repository.refs.resolve(ref) === null) return;
    if (!await repository.refs.delete(ref, commit)) {
      throw new AmofError("would_lose_work", `Left ${branch} of "${repo}" alone: it has moved`);
    }
  },
  async undo(ctx, { directory, branch, commit }) {
    await ctx.git.at(directory).refs.create(`refs/heads/${branch}`, commit);
  },
});

/** The operations of this domain. */
export const TICKET_OPERATIONS = [
  switchBranch,
  createBranch,
  fetchBranch,
  deleteBranch,
  tidyUpdate,
  returnKept,
  ...KEPT_OPERATIONS,
  ...KEPT_END_OPERATIONS,
  ...FORMER_OPERATIONS,
  ...TICKET_WORKSPACE_OPERATIONS,
  ...MOVE_OPERATIONS,
  ...CARRY_OPERATIONS,
  ...ADD_OPERATIONS,
];
