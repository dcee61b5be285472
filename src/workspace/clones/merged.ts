/**
 * Whether the work of a branch is in its base branch, in whatever form: as its commits, squashed, rebased or merged in
 * parts. What was found is remembered, so that a look costs no git process (WORKSPACE-30).
 */

import { isObject } from "../../base/object.ts";
import type { Sha } from "../../base/ids.ts";
import type { BaseTip, Repository } from "../../git/mod.ts";
import type { LastPush, WorkspaceState } from "../state_format.ts";
import { isRetracted } from "./retracted.ts";

/** How the work of a branch is in its base branch: `commits` where that has all of them. */
export type MergedAs = "commits" | "squashed" | "rebased" | "content";

/** What comparing two commits has shown; it holds for as long as a branch and the other one are at these. */
export interface Compared {
  /** That of the branch. */
  readonly commit: string;
  /** The one it was compared with: that of its base branch at the remote, or of its own remote branch. */
  readonly with: string;
  /**
   * How its work is in the other; null where it is not there. `contained` means that all its commits are there
   * and nothing tells that it had any of its own.
   */
  readonly as: MergedAs | "contained" | null;
  /** Where it is not: its newest commit up to which it is, in whatever form; absent where there is none. */
  readonly until?: string;
  /** How many commits the base branch has that it has not; absent where it has none more, or nobody could count. */
  readonly behind?: number;
}

/** Comparisons by local branch. */
export type Comparisons = Readonly<Record<string, Compared>>;

/** A branch that is to be judged, and where those are that it may be in. */
export interface Tips {
  readonly branch: string;
  readonly commit: string;
  /** That of its base branch at the remote, as last fetched; undefined where there is none. */
  readonly base: string | undefined;
  /** That of the branch of the same name there. */
  readonly own: string | undefined;
}

const FORMS: readonly unknown[] = ["commits", "squashed", "rebased", "content", "contained", null];

/** The comparisons of a repository that are remembered. What is damaged is not there. */
export function comparisonsIn(state: WorkspaceState | null, repo: string): Comparisons {
  const kept = state?.repos.find(({ name }) => name === repo)?.["compared"];
  if (!isObject(kept)) return {};
  const entries = Object.entries(kept).filter(([, value]) =>
    isObject(value) && typeof value["commit"] === "string" && typeof value["with"] === "string" &&
    FORMS.includes(value["as"]) && ["string", "undefined"].includes(typeof value["until"]) &&
    ["number", "undefined"].includes(typeof value["behind"])
  );
  return Object.fromEntries(entries) as Comparisons;
}

/** What is known of a branch without asking git. */
export interface Known {
  /** How its work is in the base branch; null where it is not, as was found out; undefined where nobody has looked. */
  readonly merged: MergedAs | null | undefined;
  /** Whether a remote-tracking branch has all of its commits. */
  readonly pushed: boolean;
  /**
   * The newest commit of the branch up to which its work is in the base branch, so that what follows belongs on
   * top of that. Null where there is none, and where the base branch has nothing that the branch lacks.
   */
  readonly landed: string | null;
  /** How many commits the base branch has that it has not, as far as is known, where its work is not there. */
  readonly behind: number;
}

/** Whether work is in a base branch, in whatever form. */
export function isMerged(as: Compared["as"]): as is MergedAs {
  return as !== null && as !== "contained";
}

/** The commit of a branch up to which its work was in its base branch when that was found out; undefined for none. */
export function integratedIn(before: Compared | undefined): string | undefined {
  return before !== undefined && isMerged(before.as) ? before.commit : before?.until;
}

/** The commit of a merged branch that what follows is not to be put on; null where it is the end of the base branch. */
function integratedAt({ commit, base }: Pick<Tips, "commit" | "base">): string | null {
  return commit === base ? null : commit;
}

/** What is known of a branch by where it and the others are, and by what is remembered. */
export function knownOf(tips: Tips, kept: Comparisons): Known {
  const { branch, commit, base, own } = tips;
  const note = Object.hasOwn(kept, branch) ? kept[branch] : undefined;
  const found = note?.commit === commit ? note : undefined;
  const ofBase = found !== undefined && found.with === base;
  const isIn = found?.as === "commits" || found?.as === "contained";
  return {
    merged: !ofBase ? undefined : found.as === "contained" ? null : found.as,
    pushed: commit === own || commit === base || isIn && (ofBase || found.with === own),
    landed: !ofBase ? null : isMerged(found.as) ? integratedAt(tips) : found.until ?? null,
    behind: ofBase && !isMerged(found.as) ? found.behind ?? 0 : 0,
  };
}

/** What besides the graph tells that a branch has had commits of its own. */
interface Evidence {
  readonly lastPush: LastPush | undefined;
}

/** How all commits of a branch came to be in its base branch, where they are: merged, or never its own. */
async function contained(
  repository: Repository,
  { branch, commit, base }: Tips & { readonly base: string },
  { lastPush }: Evidence,
): Promise<"commits" | "contained"> {
  // What was pushed from it is its own, also where it has been moved on to the end of the base branch since.
  const pushed = lastPush?.branch === branch && typeof lastPush.commit_full === "string" &&
    (lastPush.commit_full === commit ||
      await repository.history.isAncestor(lastPush.commit_full, commit));
  const isOwn = pushed || await repository.branches.endsInWork(branch, commit) ||
    commit !== base && !await repository.history.isOnFirstParents(commit, base);
  return isOwn ? "commits" : "contained";
}

/**
 * Looks for the work of a branch in its base branch. One git process; two where the base branch has all its commits; up
 * to twelve where each has some that the other has not.
 */
export async function compareWithBase(
  repository: Repository,
  tips: Tips & { readonly base: string },
  evidence: Evidence,
): Promise<Pick<Compared, "as" | "behind">> {
  const { commit, base } = tips;
  if (commit === base) return { as: await contained(repository, tips, evidence) };
  const apart = await repository.history.apart(commit, base);
  if (apart === null) return { as: null };
  const behind = apart.other === 0 ? {} : { behind: apart.other };
  if (apart.one === 0) return { as: await contained(repository, tips, evidence), ...behind };
  // A base branch that has not moved since cannot have taken anything in.
  const as = apart.other === 0 ? null : (await repository.integrated.find(commit, base)).how;
  return { as, ...behind };
}

/**
 * The commit of a branch up to which its work was in its base branch when last found, where more has followed. Null
 * where nothing was, and where the base branch has nothing that it lacks. No git process where nothing was, else up to
 * three.
 */
export async function integratedBefore(
  { history }: Repository,
  { commit, base }: Tips & { readonly base: string },
  before: Compared | undefined,
): Promise<string | null> {
  const known = integratedIn(before);
  if (before === undefined || known === undefined) return null;
  const isStill = await history.isAncestor(known, commit) &&
    (before.with === base || await history.isAncestor(before.with, base));
  return isStill && !await history.isAncestor(base, commit) ? known : null;
}

/**
 * The same where nobody has looked since: of what the remote has of the branch, and of any of it where the remote has it
 * no more.
 */
export async function integratedUntil(
  repository: Repository,
  tips: Tips & { readonly base: string },
  { lastPush, before, isGone }: Evidence & {
    readonly before: Compared | undefined;
    readonly isGone: boolean;
  },
): Promise<string | null> {
  const { branch, commit, base, own } = tips;
  const known = await integratedBefore(repository, tips, before);
  if (known !== null) return known;
  const sent = lastPush?.branch === branch ? lastPush.commit_full : undefined;
  const likely = [...isGone ? [before?.commit, sent] : [], own]
    .filter((id): id is string => id !== undefined && id !== commit);
  const { history } = repository;
  for (const id of likely) {
    const isIn = await history.isAncestor(id, base) && await history.isAncestor(id, commit) &&
      !await history.isAncestor(base, commit);
    // Where it has begun is no work of its own.
    if (isIn && (id === sent || !await history.isOnFirstParents(id, base))) return id;
  }
  return likely.length > 0 || isGone
    ? await repository.integrated.until(commit, base, { likely, guess: isGone })
    : null;
}

/** How the work of a branch is in its base branch, and up to which commit, as git finds it. */
export interface Landing {
  /** Null where it is not, or the branch had no work of its own. */
  readonly merged: MergedAs | null;
  /** Its commit up to which it is; null where there is none, and where the base branch has nothing that it has not. */
  readonly landed: string | null;
}

/** Looks for the work of a branch in its base branch, and for a part of it. */
export async function landingOf(
  repository: Repository,
  tips: Tips & { readonly base: string },
  evidence: Parameters<typeof integratedUntil>[2],
): Promise<Landing> {
  const { as } = await compareWithBase(repository, tips, evidence);
  if (isMerged(as)) return { merged: as, landed: integratedAt(tips) };
  return {
    merged: null,
    landed: as === null ? await integratedUntil(repository, tips, evidence) : null,
  };
}

/** A branch that was rewritten here, as by a rebase: its remote branch has no news, but what it was before. */
export interface Rewritten {
  readonly was: Sha;
  /** Whether it is a base branch, which nobody overwrites at the remote. */
  readonly isBase: boolean;
}

/**
 * How a branch and its upstream can have parted besides by work on both sides.
 *
 * - `anew`: they have no commit in common, as the remote was made anew.
 * - `cut`: they may have one before the history here begins.
 * - `landed`: all that the base branch has of its own is in that of the remote in another form.
 * - `retracted`: all that is here was there before the remote was rewritten.
 */
export type Parting = "anew" | "cut" | "landed" | "retracted" | Rewritten;

/**
 * What a branch was that was rewritten here; null where its remote branch is at something that it never was itself, or
 * has another name. No process.
 */
export async function rewrittenOf(
  { refs }: Repository,
  { branch, upstream, isBase }: {
    readonly branch: string;
    readonly upstream: string;
    readonly isBase: boolean;
  },
): Promise<Rewritten | null> {
  if (!isBase && upstream !== `origin/${branch}`) return null;
  const ref = `refs/remotes/${upstream}`;
  const was = (await refs.peek([ref])).get(ref);
  return was !== undefined && await refs.rewrittenFrom(branch, was) ? { was, isBase } : null;
}

/** Whether the commits of a base branch are known to have gone with a branch whose work is in that of the remote. */
export function isKnownIntegrated(kept: Comparisons, branch: string, head: string): boolean {
  const note = Object.hasOwn(kept, branch) ? kept[branch] : undefined;
  return note?.commit === head && isMerged(note.as);
}

/**
 * How a branch that has diverged and what it follows have parted; null for work on both sides. One process; at most
 * twelve where both are the base branch.
 */
export async function partingOf(
  repository: Repository,
  { head, there, ofBase, ...names }: {
    readonly head: string;
    readonly there: string;
    readonly ofBase: boolean;
    readonly branch: string;
    readonly upstream: string;
    readonly isBase: boolean;
  },
): Promise<Parting | null> {
  const { history } = repository;
  if (!await history.meet(head, there)) return await history.isShallowHere() ? "cut" : "anew";
  if (ofBase && (await repository.integrated.find(head, there)).how !== null) return "landed";
  const rewritten = await rewrittenOf(repository, names);
  if (rewritten !== null) return rewritten;
  const ref = `refs/remotes/${names.upstream}`;
  return await isRetracted(repository, { commit: head, ref }) ? "retracted" : null;
}

/** The tips of a branch among those that files tell. */
export function tipsOf(
  { heads, remotes, base: at }: {
    readonly heads: ReadonlyMap<string, Sha>;
    readonly remotes: ReadonlyMap<string, Sha>;
    readonly base: (name: string) => BaseTip;
  },
  branch: string,
  base: string,
): Tips | null {
  const commit = heads.get(branch);
  return commit === undefined
    ? null
    : { branch, commit, base: at(base).commit, own: remotes.get(branch) };
}

/** Whether the remote has commits of a branch that are neither here nor in its base branch. At most two git processes. */
async function hasMore(
  { history }: Repository,
  { commit, base, own }: Tips,
): Promise<boolean> {
  if (own === undefined || own === commit || own === base) return false;
  return !await history.isAncestor(own, commit) &&
    (base === undefined || !await history.isAncestor(own, base));
}

/** How the work of a branch is in its base branch where its remote has it no more, as git finds it; undefined where it has. */
async function mergedIfGone(
  repository: Repository,
  tips: Tips,
  state: WorkspaceState,
  repo: { readonly name: string },
): Promise<MergedAs | null | undefined> {
  const { branch, base, own } = tips;
  if (base === undefined || own !== undefined) return undefined;
  if (!(await repository.branches.tracking()).has(branch)) return undefined;
  const lastPush = state.repos.find(({ name }) => name === repo.name)?.last_push;
  const kept = comparisonsIn(state, repo.name);
  const before = Object.hasOwn(kept, branch) ? kept[branch] : undefined;
  return (await landingOf(repository, { ...tips, base }, { lastPush, before, isGone: true }))
    .merged;
}

/** How a branch of a ticket stands, as far as is known. */
export interface BranchState {
  readonly how: "merged" | "none" | "open";
  /** How many commits of it no remote has. */
  readonly unpushed: number;
  /** Where it is instead of here: at the remote, under another name, or nowhere; absent where it is here. */
  readonly away?: "remote" | "renamed" | "gone";
}

/**
 * How a branch relates to its base branch, according to files. `none`: it has no work of its own, or does not
 * exist here. `open`: it is not merged as far as is known, or its remote has more of it.
 *
 * Costs no git process where refs are files, else one. One more counts what no remote has, where that is not
 * known. Two are needed where a merged branch has moved at the remote. Where the remote has deleted the branch
 * since the last look, it costs as much as a status.
 */
export async function mergedInFiles(
  repository: Repository,
  repo: { readonly name: string; readonly branch: string },
  branch: string,
  state: WorkspaceState,
): Promise<BranchState> {
  const found = await repository.refs.peekBranches([repo.branch, branch]);
  const tips = tipsOf(found, branch, repo.branch);
  if (tips === null) {
    const away = found.remotes.has(branch)
      ? "remote"
      : await repository.branches.renamedFrom(branch, [...found.heads.keys()]) !== null
      ? "renamed"
      : "gone";
    return { how: "none", unpushed: 0, away };
  }
  const kept = comparisonsIn(state, repo.name);
  const { merged: known, pushed } = knownOf(tips, kept);
  const merged = known === undefined ? await mergedIfGone(repository, tips, state, repo) : known;
  if (merged !== null && merged !== undefined) {
    return { how: await hasMore(repository, tips) ? "open" : "merged", unpushed: 0 };
  }
  const isEmpty = tips.commit === tips.base ||
    merged === null && pushed && tips.commit !== tips.own;
  const { commit } = tips;
  const unpushed = pushed
    ? 0
    : (await repository.history.unpushedOf([commit])).counts.get(commit) ?? 0;
  return { how: isEmpty ? "none" : "open", unpushed };
}
