/** How the branches of a clone stand to those of its remotes, as its look needs it (WORKSPACE-11, WORKSPACE-30). */

import { isBranchName, type Sha } from "../../base/ids.ts";
import type { PorcelainStatus, Repository } from "../../git/mod.ts";
import type { Repo } from "../manifest/manifest.ts";
import type { LastPush, WorkspaceState } from "../state.ts";
import { basesOfTickets, isBaseBranch } from "../tickets/bases.ts";
import { conflictingPaths } from "./changes.ts";
import {
  comparisonsIn,
  integratedBefore,
  isKnownIntegrated,
  knownOf,
  type Landing,
  landingOf,
  type MergedAs,
  type Parting,
  partingOf,
  type Tips,
  tipsOf,
} from "./merged.ts";
import { retractedIn } from "./retracted.ts";

/** What a look finds of the branches of a clone. */
export interface BranchFacts {
  /**
   * The remote-tracking branch to make the expected branch of, and whether git can follow it. It is empty where
   * none was fetched. `renamed` is the branch that it was renamed to, if it was. Null where the expected branch
   * exists.
   *
   * `deleted` is about a branch that somebody deleted and that exists nowhere any more: how many of its commits
   * are nowhere else. Where there are some, `ref` is the last of them.
   */
  readonly expectedFrom:
    | {
      readonly ref: string;
      readonly tracks: boolean;
      readonly renamed?: string;
      readonly deleted?: number;
    }
    | null;
  /**
   * The base branch of the one that is checked out, at its remote (WORKSPACE-35), such as `origin/main`; empty where
   * nobody looked.
   */
  readonly remoteBase: string;
  /** Whether git takes changes along to the expected branch, where that belongs to the active ticket; null where nobody looked. */
  readonly goesAlong: boolean | null;
  /** New files that are in the way of what its upstream has more, or where nothing is committed of its branch. */
  readonly barred: readonly string[];
  /** Commits of HEAD that no remote-tracking branch is known to have. */
  readonly unpushed: number;
  /** How many of them no local branch has either: those of a HEAD that is on none. */
  readonly loose: number;
  /** The other local branches with commits that no remote-tracking branch is known to have; none where nobody asked. */
  readonly elsewhere: readonly {
    readonly branch: string;
    readonly commits: number;
    /** The refspec that the clone lacks to know the branch at `origin` once it is pushed; absent where it lacks none. */
    readonly lacks?: string;
    /** Whether `origin` had it, and has it no more, as last fetched; absent where not. */
    readonly gone?: true;
    /** Whether another of them is at the same commit; absent where none is. */
    readonly shared?: true;
  }[];
  /** How the work of the branch that is checked out is in its base branch; null where it is not, as far as is known. */
  readonly merged: MergedAs | null;
  /**
   * Its commit up to which its work is in the base branch, where that has more; null where there is none, as far as is
   * known. What follows belongs on top of the base branch.
   */
  readonly landed: string | null;
  /** Its last commit that its base branch had, and was rewritten without; null where there is none. */
  readonly retracted: string | null;
  /**
   * How many commits its base branch has that it lacks, as far as is known, where its work is not there. Null where
   * the history here is cut off before they part: nobody can count or merge them.
   */
  readonly behindBase: number | null;
  /** Whether the remote had the base branch once, and has it no more as last fetched: it was renamed or deleted. */
  readonly baseGone: boolean;
  /** The branch that the remote is known to have for its default instead then; else null. */
  readonly baseNow: string | null;
}

/** The branch a repository should be on: its ticket branch when the active ticket tracks it, else its base. */
export function expectedBranch(repo: Repo, state: WorkspaceState | null): string {
  if (repo.readonly || state === null || state.active_ticket === null) return repo.branch;
  return state.tickets[state.active_ticket]?.repos[repo.name] ?? repo.branch;
}

/** A base branch that follows nothing, or has no commit, counted against its remote. One process, none where both are the same. */
async function besideRemote(
  repository: Repository,
  seen: PorcelainStatus,
  ref: string,
): Promise<PorcelainStatus> {
  const tip = (await repository.refs.peek([ref])).get(ref);
  if (tip === undefined || tip === seen.head) return seen;
  if (seen.head === null) {
    return { ...seen, ahead: 0, behind: await repository.history.countBeyond(tip, []) };
  }
  const apart = await repository.history.apart(seen.head, tip);
  return apart === null ? seen : { ...seen, ahead: apart.one, behind: apart.other };
}

/**
 * The new files that git puts aside by itself nowhere, and does not go past: where it gets to has something else of that
 * name. Where nothing is committed all files are new. One process where there are new files.
 */
async function barredFrom(
  repository: Repository,
  { head, changes }: PorcelainStatus,
  to: Sha | undefined,
): Promise<string[]> {
  const fresh = head === null ? changes : changes.filter(({ code }) => code === "??");
  return to === undefined || fresh.length === 0
    ? []
    : conflictingPaths(fresh, await repository.files.differing(head, to));
}

/**
 * How a branch that has diverged and its upstream have parted. Where they never meet because the history here
 * was cut off, git cannot know the numbers, and they are left out. No process where nothing has diverged.
 */
export async function meeting(
  repository: Repository,
  status: PorcelainStatus,
  { repo, state }: {
    readonly repo: Repo;
    readonly state: WorkspaceState | null;
  },
): Promise<{ readonly git: PorcelainStatus; readonly parting: Parting | null }> {
  const { head, branch } = status;
  const isBase = branch !== null && isBaseBranch(state, repo, branch);
  const isLoose = isBase && (status.upstream === null || head === null);
  const base = isLoose ? branch : repo.branch;
  const its = await repository.refs.base(base);
  const seen = isLoose ? await besideRemote(repository, status, its.ref) : status;
  const upstream = isLoose ? its.name : status.upstream;
  const hasDiverged = (seen.ahead ?? 0) > 0 && (seen.behind ?? 0) > 0;
  if (!hasDiverged || head === null || upstream === null) return { git: seen, parting: null };
  const ofBase = branch === base && upstream === its.name;
  if (ofBase && isKnownIntegrated(comparisonsIn(state, repo.name), base, head)) {
    return { git: seen, parting: "landed" };
  }
  const there = ofBase ? its.ref : "@{upstream}";
  const parting = branch === null
    ? null
    : await partingOf(repository, { head, there, ofBase, branch, upstream, isBase });
  return { git: parting === "cut" ? { ...seen, ahead: null, behind: null } : seen, parting };
}

/**
 * A branch that somebody deleted and that is at no remote (GONE-3): where it was left, and how many of its
 * commits are nowhere else, in no form. Null where git does not tell, or has dropped them. No process where
 * nothing tells, else up to fourteen.
 */
async function deletedOf(
  repository: Repository,
  { branch, base }: Pick<Tips, "branch" | "base">,
  evidence: Omit<Parameters<typeof landingOf>[2], "isGone">,
): Promise<{ readonly commit: Sha; readonly commits: number } | null> {
  const left = await repository.branches.leftAt(branch);
  const commit = left === null ? null : await repository.refs.resolve(left);
  if (commit === null) return null;
  const commits = (await repository.history.unpushedOf([commit])).counts.get(commit) ?? 0;
  if (commits === 0 || base === undefined) return { commit, commits };
  const tips = { branch, commit, base, own: undefined };
  const { merged } = await landingOf(repository, tips, { ...evidence, isGone: true });
  return { commit, commits: merged === null ? commits : 0 };
}

/** The branch that the remote is known to have for its default, where that was fetched, or would be nowhere. */
async function defaultNow({ branches, refs }: Repository): Promise<string | null> {
  const name = await branches.defaultThere();
  if (name === null || !isBranchName(name)) return null;
  const ref = `refs/remotes/origin/${name}`;
  const isThere = (await refs.peek([ref])).has(ref) || await branches.lacking(name) !== null;
  return isThere ? name : null;
}

/** Which commits no remote has, of HEAD and of the other local branches, and whether the work of HEAD is merged. */
export async function branchesOf(
  repository: Repository,
  status: PorcelainStatus,
  { repo, state, others }: {
    readonly repo: Repo;
    readonly state: WorkspaceState | null;
    /** Whether other local branches are looked at, too. */
    readonly others: boolean;
  },
): Promise<BranchFacts> {
  const { head, branch, upstream, ahead, behind, changes } = status;
  const expected = expectedBranch(repo, state);
  const bases = basesOfTickets(state, repo);
  const found = await repository.refs.peekBranches([repo.branch, expected, ...bases.values()]);
  const tipsAt = (name: string) => tipsOf(found, name, bases.get(name) ?? repo.branch);
  const kept = comparisonsIn(state, repo.name);
  const isDetached = branch === null;
  // What the remote has had of the base branch, and was rewritten without, is not to be pushed again.
  const was = await repository.refs.replaced(found.base(repo.branch).ref);
  const unknown = [...found.heads].sort().filter(([name, commit]) => {
    // What is in the branch that is checked out, too, goes with it.
    const tips = commit === head || !(others || isDetached) ? null : tipsAt(name);
    if (tips === null) return false;
    const { pushed, merged } = knownOf(tips, kept);
    return !pushed && (merged ?? null) === null && !(name === repo.branch && was.includes(commit));
  });
  const since = await Promise.all(
    unknown.map(([name, commit]) => repository.refs.since(name, commit)),
  );
  const unsure = unknown.filter((_, at) => since[at] !== "forwards");
  const tips = isDetached ? null : tipsAt(branch);
  // What the base branch at the remote has is not only here, whatever the branch's own upstream lacks.
  const isThere = tips !== null && knownOf(tips, kept).pushed;
  // What it follows may be another branch than the one that it is pushed to, which has some of them.
  const isElsewhere = (ahead ?? 0) > 0 && tips?.own !== undefined &&
    upstream !== `origin/${branch}`;
  const mustCount = head !== null && (ahead === null || isElsewhere) && !isThere;
  const { counts, holdsHead } = mustCount || unsure.length > 0
    ? await repository.history.unpushedOf(unsure.map(([, commit]) => commit), head)
    : { counts: new Map<string, number>(), holdsHead: false };
  const unpushed = isThere ? 0 : mustCount ? counts.get(head) ?? 0 : ahead ?? 0;
  const isHeld = holdsHead || [...found.heads.values()].some((commit) => commit === head);
  const its = found.base(repo.branch);
  const isTheirs = expected !== repo.branch && found.remotes.has(expected);
  const from = isTheirs ? `origin/${expected}` : its.commit === undefined ? "" : its.name;
  const renamed = found.heads.has(expected) || expected === repo.branch
    ? null
    : await repository.branches.renamedFrom(expected, [...found.heads.keys()]);
  const lastPush = state?.repos.find(({ name }) => name === repo.name)?.last_push;
  const isAway = !found.heads.has(expected) && expected !== repo.branch && !isTheirs;
  const deleted = isAway && renamed === null
    ? await deletedOf(repository, {
      branch: expected,
      base: found.base(bases.get(expected) ?? repo.branch).commit,
    }, { lastPush, before: Object.hasOwn(kept, expected) ? kept[expected] : undefined })
    : null;
  const [there, hasTicket] = [found.heads.get(expected), (state?.active_ticket ?? null) !== null];
  const mustFit = hasTicket && head !== null && branch !== expected && changes.length > 0;
  // Where nothing is committed the branch that it should be on is as far away as one that is behind.
  const near = head === null ? [there, found.remotes.get(expected), its.commit] : [];
  const coming = `refs/remotes/${upstream ?? its.name}`;
  const baseGone = head !== null && its.commit === undefined &&
    (await repository.branches.tracking()).has(repo.branch);
  const goal = (behind ?? 0) > 0 && head !== null
    ? (await repository.refs.peek([coming])).get(coming)
    : near.find((tip) => tip !== undefined);
  const elsewhere = unsure.map(([name, commit]) => ({
    branch: name,
    commits: counts.get(commit) ?? 0,
    ...(unsure.some(([other, at]) => other !== name && at === commit)
      ? { shared: true as const }
      : {}),
  })).filter(({ commits }) => others && commits > 0);
  return {
    expectedFrom: found.heads.has(expected) ? null : {
      ...(renamed === null ? {} : { renamed }),
      ...(deleted === null ? {} : { deleted: deleted.commits }),
      ref: deleted === null || deleted.commits === 0 ? from : deleted.commit,
      tracks: from === `origin/${expected}`
        ? await repository.branches.lacking(expected) === null
        : expected === repo.branch &&
          (from !== "" || await repository.branches.lacking(expected) === null),
    },
    remoteBase: found.base(bases.get(branch ?? "") ?? repo.branch).name,
    // Only the name changes then.
    goesAlong: mustFit && renamed === branch
      ? true
      : mustFit && there !== undefined
      ? conflictingPaths(changes, await repository.files.differing(head, there)).length === 0
      : null,
    barred: await barredFrom(repository, status, goal),
    unpushed,
    retracted: isDetached || head === null || branch === repo.branch
      ? null
      : await retractedIn(repository, {
        branch,
        commit: head,
        ref: found.base(bases.get(branch) ?? repo.branch).ref,
      }),
    baseGone,
    baseNow: baseGone ? await defaultNow(repository) : null,
    loose: isDetached && !isHeld ? unpushed : 0,
    elsewhere: await Promise.all(elsewhere.map(async (one) => {
      const lacks = await repository.branches.lacking(one.branch);
      if (lacks !== null) return { ...one, lacks };
      const isGone = !found.remotes.has(one.branch) &&
        (await repository.branches.following()).has(one.branch);
      return isGone ? { ...one, gone: true as const } : one;
    })),
    ...isDetached || branch === repo.branch ? OPEN : await mergedNow(repository, tips, {
      kept,
      isGone: upstream !== null && ahead === null,
      lastPush,
    }),
  };
}

/** How a branch stands to its base branch. */
type MergeState = Landing & Pick<BranchFacts, "behindBase">;

const OPEN: MergeState = { merged: null, landed: null, behindBase: 0 };

/** How the work of a branch is in its base branch: as is remembered, or where its upstream is gone as git finds it. */
async function mergedNow(
  repository: Repository,
  tips: ReturnType<typeof tipsOf>,
  { kept, isGone, lastPush }: {
    readonly kept: ReturnType<typeof comparisonsIn>;
    readonly isGone: boolean;
    readonly lastPush: LastPush | undefined;
  },
): Promise<MergeState> {
  if (tips === null || tips.base === undefined) return OPEN;
  const { merged, landed, behind } = knownOf(tips, kept);
  const at = { ...tips, base: tips.base };
  if (merged !== undefined) {
    return { merged, landed, behindBase: await counted(repository, at, behind) };
  }
  const before = Object.hasOwn(kept, tips.branch) ? kept[tips.branch] : undefined;
  const evidence = { lastPush, before, isGone };
  if (isGone) return { ...OPEN, ...await landingOf(repository, at, evidence) };
  // Where it was behind, it is so until that is brought in.
  const wasBehind = before?.with === at.base && (before.behind ?? 0) > 0;
  return {
    merged: null,
    landed: await integratedBefore(repository, at, before),
    behindBase: wasBehind ? await countBehind(repository, at) : 0,
  };
}

/** Where a branch and its base branch are. */
type Pair = { readonly commit: string; readonly base: string };

/** A number of commits that a branch is behind, where it can be relied on. One process where the history is cut off. */
async function counted(
  { history }: Repository,
  { commit, base }: Pair,
  behind: number,
): Promise<number | null> {
  const isGuess = behind > 0 && await history.isShallowHere() && !await history.meet(commit, base);
  return isGuess ? null : behind;
}

/**
 * How many commits a base branch has that another commit has not, as in {@linkcode BranchFacts.behindBase}. One process,
 * two where the history is cut off.
 */
export async function countBehind(repository: Repository, at: Pair): Promise<number | null> {
  const behind = await repository.history.countBetween(at.commit, at.base) ?? 0;
  return await counted(repository, at, behind);
}
