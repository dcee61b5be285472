/**
 * The steps that tickets are made of, and end with where their own workspace stays (LEAVE-4). Each can be repeated and
 * taken back after an interruption at any point.
 */

import { join } from "@std/path";
import { AmofError } from "../../../base/error.ts";
import { NothingTouched, operation } from "../../../runs/steps/mod.ts";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { few, list, shellWord } from "../../../base/text/words.ts";
import { ADD_OPERATIONS } from "./add.ts";
import { type InRepo, KEPT_OPERATIONS } from "./kept.ts";
import { MOVE_OPERATIONS } from "./move.ts";
import { repairUpdate, returnKept } from "./update_kept.ts";
import { TICKET_WORKSPACE_OPERATIONS } from "./make_workspace.ts";
import { Snapshots, stashSubject } from "../../../git/snapshot/mod.ts";
import { endedFile, recordFile } from "../../../workspace/tickets/mod.ts";
import { withSubmodules } from "../../../workspace/clones/changing.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";

const touches = ({ directory }: InRepo) => [directory];

// The steps by which uncommitted work of a clone goes along into the clone of a new ticket, byte for byte
// (TICKET-18).
//
// A snapshot of it is taken where it comes from, and only then is it removed there. The snapshot is dropped
// last, when the ticket's clone has the work.

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
const CARRY_OPERATIONS = [bringChanges, leaveChanges];

type Named = InRepo & { readonly name: string };

function cannotDo(): Promise<never> {
  return Promise.reject(new TypeError("Steps of an older version are not done any more"));
}

/** Brings a stash to one end; throws where anything else is in the way. */
async function move(ctx: ExecuteContext, args: Named, end: "head" | "kept"): Promise<boolean> {
  const { repo, directory, name } = args;
  const repository = ctx.git.at(directory, repo);
  const stash = await repository.stashes.find(name);
  if (stash === null) return false;
  const { conflicts, strangers } = await repository.part(Snapshots).apply(
    stash.commit,
    end,
  );
  if (conflicts.length + strangers.length > 0) {
    throw new AmofError(
      "would_lose_work",
      `Left "${repo}" alone: its files are neither as before nor as kept in ${name}`,
      {
        hint: `Put it in order by hand, then drop stash@{${stash.number}} there`,
        details: { repo, paths: [...conflicts, ...strangers] },
      },
    );
  }
  if (end === "kept") await repository.stashes.drop(stash.commit);
  return true;
}

/** `git stash push` under a name. */
const stashSave = operation<Named>({
  name: "stash_save",
  describe: ({ repo, name }) => `Stash the changes of ${repo} as ${name}`,
  touches,
  act: cannotDo,
  async undo(ctx, args) {
    await move(ctx, args, "kept");
  },
});

/** `git stash pop` of a name. */
const stashRestore = operation<Named>({
  name: "stash_restore",
  describe: ({ repo, name }) => `Restore the changes of ${repo} from ${name}`,
  touches,
  act: cannotDo,
  async undo(ctx, args) {
    if (await move(ctx, args, "head")) return;
    const { repo, directory, name } = args;
    const repository = ctx.git.at(directory, repo);
    const branch = await repository.branches.current();
    const title = { id: ctx.system.ids.hex(16), branch, name, at: ctx.system.clock.now() };
    const taken = await repository.part(Snapshots).take(title);
    if (taken === null) return;
    await repository.stashes.store(taken.commit, stashSubject(title));
    await move(ctx, args, "head");
  },
});

/** The operations of older versions. */
const FORMER_OPERATIONS = [stashSave, stashRestore];

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

/** Whether git refused to change what is checked out because of files there, and so changed nothing. */
function isObstructed(error: unknown): error is AmofError {
  return error instanceof AmofError && error.details["kind"] === "in_the_way";
}

/** Changes what is checked out. Throws {@linkcode NothingTouched} where git refused it because of files there. */
async function checkOut(
  ctx: ExecuteContext,
  where: InRepo,
  change: () => Promise<void>,
): Promise<void> {
  const { directory } = where;
  try {
    await withSubmodules(ctx, where, change);
  } catch (error) {
    if (!isObstructed(error)) throw error;
    const { code, message, details } = error;
    throw new NothingTouched(code, `${message}; every repository is as it was`, {
      hint: `Commit them, or put them away: git -C ${
        shellWord(directory)
      } stash push --include-untracked`,
      details,
      cause: error,
    });
  }
}

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
    await withSubmodules(ctx, { repo, directory }, () => repository.branches.switchTo(from));
  } catch (error) {
    throw isObstructed(error) ? blocked("files changed that git would overwrite", error) : error;
  }
}

/** Goes from one branch to another that exists. */
export const switchBranch = operation<InRepo & Change & { readonly to: string }>({
  name: "switch_branch",
  describe: ({ repo, to }) => `Switch ${repo} to ${to}`,
  touches,
  phase: "change",
  async act(ctx, { repo, directory, to }) {
    const repository = ctx.git.at(directory, repo);
    if (await repository.branches.current() !== to) {
      await checkOut(ctx, { repo, directory }, () => repository.branches.switchTo(to));
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
  phase: "change",
  async act(ctx, { repo, directory, branch, start, track }) {
    const repository = ctx.git.at(directory, repo);
    if (await repository.branches.current() === branch) return;
    if (track) await repository.remotes.track(branch);
    await checkOut(ctx, { repo, directory }, () =>
      repository.branches.create(branch, {
        start: track ? `origin/${branch}` : start,
        track,
      }));
  },
  async undo(ctx, args) {
    const { directory, branch, start } = args;
    await goBack(ctx, { ...args, target: start }, branch);
    // A branch on which somebody works meanwhile stays.
    await ctx.git.at(directory).refs.deleteUnused(`refs/heads/${branch}`, start);
  },
});

/**
 * Fetches a branch of the remote that nobody here knows yet. With `track` every later fetch brings it, too.
 * Throws when it moved since it was looked at.
 */
export const fetchBranch = operation<
  InRepo & { readonly branch: string; readonly commit: string; readonly track?: boolean }
>({
  name: "fetch_branch",
  describe: ({ repo, branch }) => `Fetch ${branch} of ${repo}`,
  touches,
  phase: "prepare",
  async act(ctx, { repo, directory, branch, commit, track = false }) {
    const ref = `refs/remotes/origin/${branch}`;
    const repository = ctx.git.at(directory, repo);
    if (track) await repository.remotes.track(branch);
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
  phase: "finish",
  async act(ctx, { repo, directory, branch, commit }) {
    const ref = `refs/heads/${branch}`;
    const repository = ctx.git.at(directory);
    if (await repository.refs.resolve(ref) === null) return;
    if (!await repository.refs.delete(ref, commit)) {
      throw new AmofError("would_lose_work", `Left ${branch} of "${repo}" alone: it has moved`);
    }
    await repository.remotes.untrack(branch);
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
  repairUpdate,
  returnKept,
  ...KEPT_OPERATIONS,
  ...KEPT_END_OPERATIONS,
  ...FORMER_OPERATIONS,
  ...TICKET_WORKSPACE_OPERATIONS,
  ...MOVE_OPERATIONS,
  ...CARRY_OPERATIONS,
  ...ADD_OPERATIONS,
];
