/** What a release that is only here takes to its remote: its branch, which may have gone on since, and its tag. */

import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import { RECORD_SUBJECT } from "./record.ts";

/** Subjects that a preview holds. */
const SHOWN_SUBJECTS = 20;
/** Records that are looked at, whether there is anything else among them. */
const MOST_RECORDS = 1000;

/** A release and where it goes. */
interface Unpushed {
  readonly repo: string;
  readonly directory: string;
  readonly remote: string;
  readonly branch: string;
  readonly tag: string;
  /** The commit behind the tag. */
  readonly commit: string;
  /** Branches and tags of the remote by full name. */
  readonly refs: ReadonlyMap<string, string>;
}

/** What goes. */
export interface Outgoing {
  /** The commit the branch is pushed at; null when the remote's branch has the release, so that only the tag goes. */
  readonly tip: string | null;
  /** Commits that the remote does not have. */
  readonly commits: number;
  /** The newest of their subjects, at most 20, cleaned. */
  readonly commit_subjects: readonly string[];
}

/** Nothing but the tag. */
export const ONLY_TAG: Outgoing = { tip: null, commits: 0, commit_subjects: [] };

/**
 * The command that brings the remote's commits into a branch and keeps the tagged commit in it, whatever the user's
 * configuration says of pulling. A rebase would leave the tag behind.
 */
export function mergeCommand(directory: string, remote: string, branch: string): string {
  return `git -C ${shellWord(directory)} pull --no-rebase --ff --no-edit ${remote} ${
    shellWord(branch)
  }`;
}

/** A merge from wherever the repository stands: another branch may be checked out. */
async function mergeAnywhere(
  ctx: CommandContext,
  { directory, branch }: Unpushed,
  merge: string,
): Promise<string> {
  return await ctx.git.at(directory).branches.current() === branch
    ? merge
    : `Go to its branch: git -C ${shellWord(directory)} switch ${shellWord(branch)}\n${merge}`;
}

/** What pushing a release would send, or why it cannot. At most six git processes, none of them a network call. */
export async function outgoing(
  ctx: CommandContext,
  release: Unpushed,
): Promise<Outgoing | { readonly problem: string; readonly fix: string }> {
  const { repo, directory, remote, branch, tag, commit, refs } = release;
  const { history, refs: own } = ctx.git.at(directory, repo);
  const there = refs.get(`refs/heads/${branch}`) ?? null;
  // If the remote's branch already contains the release, later local commits are not pushed with it.
  if (there !== null && await history.isAncestor(commit, there)) return ONLY_TAG;
  const shown = cleanLine(branch, 60);
  const tip = await own.resolve(`refs/heads/${branch}`);
  if (tip === null) {
    return {
      problem: `its branch ${shown} is gone`,
      fix: `Make it again: git -C ${shellWord(directory)} branch ${shellWord(branch)} ${tag}`,
    };
  }
  if (!await history.isAncestor(commit, tip)) {
    const merge = `git -C ${shellWord(directory)} merge --no-edit ${tag}`;
    return {
      problem: `${shown} no longer contains its commit`,
      fix: await mergeAnywhere(ctx, release, `Merge it: ${merge}`),
    };
  }
  if (there !== null && !await history.isAncestor(there, tip)) {
    const merge = mergeCommand(directory, remote, branch);
    return {
      problem: `${remote}/${shown} has commits that are not here`,
      fix: await mergeAnywhere(ctx, release, `Merge them: ${merge}`),
    };
  }
  const known = there === null ? [...refs.values()] : [there];
  return {
    tip,
    commits: await history.countUncovered([tip], known),
    commit_subjects: (await history.uncovered([tip], known, SHOWN_SUBJECTS))
      .map(({ subject }) => cleanLine(subject)),
  };
}

/**
 * What goes of a release that the remote has: the records that its branch lacks, where nothing else is ahead of that. At
 * most four git processes.
 */
export async function recordsOf(
  ctx: CommandContext,
  { repo, directory, branch, refs }: Unpushed,
): Promise<Outgoing> {
  const { history, refs: own } = ctx.git.at(directory, repo);
  const there = refs.get(`refs/heads/${branch}`);
  const tip = await own.resolve(`refs/heads/${branch}`);
  if (there === undefined || tip === null || tip === there) return ONLY_TAG;
  if (!await history.isAncestor(there, tip)) return ONLY_TAG;
  const commits = await history.countUncovered([tip], [there]);
  const subjects = (await history.uncovered([tip], [there], MOST_RECORDS))
    .map(({ subject }) => cleanLine(subject));
  return commits === subjects.length && subjects.every((one) => one.startsWith(RECORD_SUBJECT))
    ? { tip, commits, commit_subjects: subjects.slice(0, SHOWN_SUBJECTS) }
    : ONLY_TAG;
}
