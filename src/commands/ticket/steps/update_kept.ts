/**
 * Uncommitted work that stands aside while a ticket is updated (TICKET-9).
 *
 * It is kept as a snapshot under the name of the ticket, as `ticket switch --stash` keeps it, before anything is
 * touched. It comes back once its repository is on its branch again and in the middle of nothing. Where it conflicts
 * with what was brought in, it stays in the list of stashes, untouched.
 */

import { AmofError, toAmofError } from "../../../base/error.ts";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { Snapshots } from "../../../git/snapshot/mod.ts";
import { NothingTouched, operation } from "../../../runs/steps/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { whyOf } from "../../../workspace/mod.ts";
import {
  bringBack,
  clearChanges,
  forgetKept,
  type InRepo,
  keepChanges,
  requireSeen,
} from "./kept.ts";
import { count } from "../../../base/text/words.ts";
import type { Repository } from "../../../git/mod.ts";
import { jointRef } from "../../../workspace/tickets/mod.ts";
import type { Repo } from "../../../workspace/manifest/mod.ts";
import { Joining } from "../../../git/write/mod.ts";

/** Work of one repository that stands aside: on which branch, and under which name. */
export type KeptWork = InRepo & { readonly branch: string; readonly name: string };

/** What came of giving work back. */
export type Given =
  /** Nothing was kept. */
  | { readonly result: "nothing" }
  | { readonly result: "given_back" }
  /** It stays kept; `error` says why, and what a person does about it. */
  | { readonly result: "kept"; readonly error: AmofError };

/**
 * Work that could not be given back for a reason outside of it, such as a full disk. It stays kept, and the
 * next command that changes the ecosystem tries again.
 */
export class ReturnRefused extends AmofError {
  /** The name under which it is kept. */
  readonly kept: string;
  /** Why. */
  override readonly cause: AmofError;

  /** `back` says that the work is in its place and only the entry could not be removed. */
  constructor(cause: AmofError, name: string, back = false) {
    const { reason: _, ...details } = cause.details;
    const cure = cause.hint.replace(/, then repeat$/, "");
    super(
      cause.code,
      `${whyOf(cause)}; its changes are ${back ? "back, and still listed" : "kept"} as ${name}`,
      {
        hint: `${cure}${cure === "" ? "" : "\n"}Get them back: amof ticket update --continue`,
        details,
      },
    );
    this.cause = cause;
    this.kept = name;
  }
}

/** Why work that stands aside stays kept, out of whatever was thrown. */
export function returnRefusal(
  ctx: ExecuteContext,
  { name }: KeptWork,
  thrown: unknown,
  back = false,
): ReturnRefused {
  return new ReturnRefused(toAmofError(thrown, () => ctx.system.ids.hex(8)), name, back);
}

/** Puts everything uncommitted of a repository aside. Throws where that cannot be; then all is where it was. */
export async function keepWork(ctx: ExecuteContext, aside: KeptWork): Promise<void> {
  const keeping = { ...aside, id: ctx.system.ids.hex(16) };
  await keepChanges.act(ctx, keeping);
  try {
    await clearChanges.act(ctx, keeping);
  } catch (error) {
    if (error instanceof NothingTouched) await keepChanges.undo?.(ctx, keeping);
    else await giveBackAfter(ctx, aside, error);
    throw error;
  }
}

/** Gives work back after what it stood aside for has failed. Throws where it stays kept. */
export async function giveBackAfter(
  ctx: ExecuteContext,
  aside: KeptWork,
  failure: unknown,
): Promise<void> {
  const given = await giveBack({ ...ctx, git: ctx.git.until() }, aside)
    .catch(() => returnRefusal(ctx, aside, failure));
  if (given instanceof ReturnRefused) throw given;
  // A repository that waits to go on or back says itself that its changes are kept.
  if (given.result === "kept" && given.error.code !== "repo_in_progress") {
    throw returnRefusal(ctx, aside, failure);
  }
}

/** Why a repository is in no state to get its work back, or null. */
async function unready(ctx: ExecuteContext, aside: KeptWork): Promise<AmofError | null> {
  const { repo, directory, branch, name } = aside;
  const repository = ctx.git.at(directory, repo);
  const activity = await repository.activity();
  const doing = activity?.inProgress ?? null;
  if (doing !== null) {
    return new AmofError(
      "repo_in_progress",
      `Kept the changes of "${repo}" as ${name}: a ${doing} waits to go on or back`,
      { hint: "go on: amof ticket update --continue\ngo back: amof ticket update --abort" },
    );
  }
  const current = await repository.branches.current();
  return current === branch ? null : new AmofError(
    "repo_diverged",
    `Kept the changes of "${repo}" as ${name}: it is on ${
      cleanLine(current ?? "no branch", 60)
    } instead of ${cleanLine(branch, 60)}`,
    { hint: "go to its branch, then: amof ticket update --continue" },
  );
}

/** Gives kept work back, whole or not at all, and forgets it then. Throws `ReturnRefused` where git or the disk fails. */
export async function giveBack(ctx: ExecuteContext, aside: KeptWork): Promise<Given> {
  const { repo, directory, branch, name } = aside;
  const entry = await ctx.git.at(directory, repo).stashes.find(name, branch);
  if (entry === null) return { result: "nothing" };
  const returning = { repo, directory, branch, name, stash: entry.commit };
  const early = await unready(ctx, aside);
  if (early !== null) return { result: "kept", error: early };
  try {
    await requireSeen(ctx, { repo, directory }, name, entry.commit);
    await bringBack.act(ctx, returning);
  } catch (error) {
    if (error instanceof AmofError && error.code === "would_lose_work") {
      return { result: "kept", error };
    }
    // Stashes that were applied already are put away again, so that all of it is kept.
    await Promise.resolve(bringBack.undo?.(ctx, returning)).catch(() => undefined);
    throw returnRefusal(ctx, aside, error);
  }
  try {
    await forgetKept.act(ctx, returning);
  } catch (error) {
    throw returnRefusal(ctx, aside, error, true);
  }
  return { result: "given_back" };
}

/**
 * Does nothing while all goes well. Where the update was cut off, the work that stood aside comes back, unless its
 * repository waits to go on or back. `other` is the commit its branch was going back to, or null.
 */
export const returnKept = operation<KeptWork & { readonly other: string | null }>({
  name: "return_kept",
  describe: ({ repo, name }) => `Give the changes of ${repo} back from ${name}`,
  tidies: true,
  touches: ({ directory }) => [directory],
  act: () => Promise.resolve(),
  async undo(ctx, { other, ...aside }) {
    const { repo, directory } = aside;
    if (other !== null) await ctx.git.at(directory, repo).part(Snapshots).settleCheckout(other);
    const given = await giveBack(ctx, aside).catch((error: unknown) => {
      throw error instanceof ReturnRefused ? error.cause : error;
    });
    if (given.result === "given_back") {
      ctx.report.log("warn", `${repo}: gave the changes back that stood aside`);
    } else if (given.result === "kept") ctx.report.log("warn", given.error.message);
  },
});

// Mends the files of a repository in which an update was cut off.

/** The update of a repository that may have been cut off; a type alias, so that it counts as plain JSON. */
type Tidied = {
  readonly repo: string;
  readonly head: string;
  /** The full name of the base branch. */
  readonly ref: string;
};

/**
 * Does nothing while all goes well. Where a merge was cut off before git noted that it is in the middle of one,
 * the files are restored. Where git had noted it, the merge can go on or back, unless its commit was made
 * already.
 */
export const repairUpdate = operation<InRepo & Tidied>({
  name: "tidy_update",
  describe: ({ repo }) => `Tidy up ${repo}`,
  tidies: true,
  touches: ({ directory }) => [directory],
  act: () => Promise.resolve(),
  async undo(ctx, { repo, directory, head, ref }) {
    const repository = ctx.git.at(directory, repo);
    if (await repository.activity() === null) return;
    const branch = await repository.branches.current();
    const joint = branch === null ? null : await repository.refs.resolve(jointRef(branch));
    await repairMerge(ctx, repository, { repo, head, ref: joint ?? ref });
    if (branch !== null && joint !== null) await repository.refs.delete(jointRef(branch), joint);
  },
});

/** Mends the files where a merge of `ref` into `head` was cut off. */
async function repairMerge(
  ctx: ExecuteContext,
  repository: Repository,
  { repo, head, ref }: Tidied,
): Promise<void> {
  const activity = await repository.activity();
  if (activity === null) return;
  const middle = await repository.part(Joining).middle();
  if (middle?.doing === "merge" && await repository.history.isAncestor(middle.other, "HEAD")) {
    await repository.part(Joining).forgetMerge();
    return;
  }
  if (activity.inProgress !== null) {
    ctx.report.log("warn", `${repo}: a ${activity.inProgress} waits to go on or back`);
    return;
  }
  if (await repository.refs.resolve("HEAD") !== head) return;
  if (await repository.refs.resolve(ref) === null) return;
  const mended = await repository.part(Joining).mendMerge(
    ref,
    await repository.history.isAncestor(head, ref),
  );
  if (mended === 0) return;
  ctx.report.log(
    "warn",
    `${repo}: brought ${count(mended, "file")} back that a cut-off merge was writing`,
  );
}

/** Mends what a merge left that failed or was interrupted in this process. */
export async function mendNow(
  ctx: ExecuteContext,
  { repo, directory, head, ref }: {
    readonly repo: Repo;
    readonly directory: string;
    readonly head: string;
    readonly ref: string;
  },
): Promise<void> {
  const repository = ctx.git.until().at(directory, repo.name);
  if ((await repository.activity())?.inProgress !== null) return;
  await repairUpdate.undo?.({ ...ctx, git: ctx.git.until() }, {
    repo: repo.name,
    directory,
    head,
    ref,
  });
}
