/** Remembers which branches are merged, once their remotes were fetched (WORKSPACE-30). */

import { canonicalJson } from "../../base/policy/fingerprint.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { Repository } from "../../git/mod.ts";
import type { Repo } from "../manifest/manifest.ts";
import { inPool } from "../../base/async/pool.ts";
import {
  type Compared,
  compareWithBase,
  type Comparisons,
  comparisonsIn,
  integratedUntil,
  isMerged,
  knownOf,
  type Tips,
  tipsOf,
} from "./merged.ts";
import { basesOfTickets, withFollowed } from "../tickets/bases.ts";
import { freshState, type LastPush, loadState, saveState, type WorkspaceState } from "../state.ts";
import { repoDirectory } from "../workspace.ts";
import { operation } from "../../runs/steps/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import { shortSha } from "../../base/ids.ts";

/** The branches of a repository that somebody works on: those of tickets, and the one that is checked out. */
function worked(state: WorkspaceState | null, repo: string, current: string | null): Set<string> {
  const tickets = Object.values(state?.tickets ?? {}).flatMap(({ repos }) => repos[repo] ?? []);
  return new Set([...tickets, ...(current === null ? [] : [current])]);
}

/** Whether a base branch has taken back what was squashed or rebased into it. */
async function isTakenBack(
  { integrated }: Repository,
  { commit, base, as }: { readonly commit: string; readonly base: string } & Pick<Compared, "as">,
): Promise<boolean> {
  if (as !== "squashed" && as !== "rebased") return false;
  const { how, unknown } = await integrated.find(commit, base);
  return how === null && unknown === null;
}

/** Compares a branch that somebody works on with its base branch, and where it is not in there, with its own remote one. */
async function compare(
  repository: Repository,
  tips: Tips & { readonly base: string },
  { state, repo, before, isGone }: {
    readonly state: WorkspaceState | null;
    /** Whether the remote has the branch no more. */
    readonly isGone: boolean;
    readonly repo: string;
    readonly before: Compared | undefined;
  },
): Promise<Compared> {
  const { commit, base, own } = tips;
  // What was merged stays so while the base branch only goes on, and does not take back the very commits.
  const isStill = before?.commit === commit && before.as !== null && before.as !== "contained" &&
    await repository.history.isAncestor(before.with, base);
  if (isStill && !await isTakenBack(repository, { commit, base, as: before.as })) {
    return { ...before, with: base };
  }
  const lastPush = state?.repos.find(({ name }) => name === repo)?.last_push;
  const { as, ...behind } = await compareWithBase(repository, tips, { lastPush });
  const isBehind = as === null && own !== undefined && own !== commit &&
    await repository.history.isAncestor(commit, own);
  if (isBehind) return { commit, with: own, as: "contained" };
  const until = as === null
    ? await integratedUntil(repository, tips, {
      lastPush,
      before: isStill ? undefined : before,
      isGone,
    })
    : null;
  return { commit, with: base, as, ...(until === null ? {} : { until }), ...behind };
}

/** What is to be remembered of one repository. No git process where nothing has moved since. */
export async function comparisonsOf(
  repository: Repository,
  repo: Repo,
  known: WorkspaceState | null,
): Promise<Comparisons> {
  const state = await withFollowed(known, repo, repository);
  const kept = comparisonsIn(state, repo.name);
  const bases = basesOfTickets(state, repo);
  const found = await repository.refs.peekBranches([repo.branch, ...bases.values()]);
  const ours = worked(state, repo.name, await repository.branches.current());
  const tracking = await repository.branches.tracking();
  const notes: Record<string, Compared> = {};
  let merged: ReadonlySet<string> | null = null;
  for (const branch of found.heads.keys()) {
    const tips = tipsOf(found, branch, bases.get(branch) ?? repo.branch);
    if (branch === repo.branch || tips === null || tips.base === undefined) continue;
    const { base } = tips;
    const before = Object.hasOwn(kept, branch) ? kept[branch] : undefined;
    const known = knownOf(tips, kept);
    // A branch that the remote has no more may have been merged there in any form.
    const isGone = tips.own === undefined && tracking.has(branch);
    if (ours.has(branch) || isGone) {
      const isKnown = before !== undefined && before.commit === tips.commit &&
        (known.merged !== undefined || before.with === tips.own);
      notes[branch] = isKnown
        ? before
        : await compare(repository, { ...tips, base }, { state, repo: repo.name, before, isGone });
    } else if (!known.pushed) {
      merged ??= new Set(await repository.branches.mergedInto(base));
      if (merged.has(branch)) notes[branch] = { commit: tips.commit, with: base, as: "contained" };
    } else if (before !== undefined) notes[branch] = before;
  }
  const own = tipsOf(found, repo.branch, repo.branch);
  // What is in the base branch of a ticket that has another one is not in this one.
  const intoIt = Object.fromEntries(
    Object.entries(notes).filter(([name]) => (bases.get(name) ?? repo.branch) === repo.branch),
  );
  const note = own === null ? null : await ofBase(repository, own, { notes: intoIt, kept });
  return note === null ? notes : { ...notes, [repo.branch]: note };
}

/** What is to be remembered of the base branch itself: that its own commits went with a branch that is merged. */
async function ofBase(
  { history }: Repository,
  { branch, commit, base }: Tips,
  { notes, kept }: { readonly notes: Comparisons; readonly kept: Comparisons },
): Promise<Compared | null> {
  if (base === undefined || commit === base) return null;
  for (const { commit: end, as } of Object.values(notes)) {
    if (isMerged(as) && await history.isAncestor(commit, end)) return { commit, with: base, as };
  }
  const before = Object.hasOwn(kept, branch) ? kept[branch] : undefined;
  const isStill = before?.commit === commit && isMerged(before.as) &&
    await history.isAncestor(before.with, base);
  return isStill ? { ...before, with: base } : null;
}

/**
 * Remembers of repositories that were just fetched how their branches stand to their base branches. Writes only what is
 * new; of a repository that cannot be read nothing is remembered, and nothing fails.
 */
export async function rememberMerged(
  ctx: ExecuteContext,
  { workspace, workspaceBranch }: Remembering,
  repos: readonly Repo[],
): Promise<void> {
  const before = await loadState(ctx.system, workspace);
  const found = new Map<string, Comparisons>();
  await inPool(ctx.jobs, repos, async (repo) => {
    try {
      const directory = await repoDirectory(ctx.system, workspace, repo);
      const repository = ctx.git.at(directory, repo.name);
      if (await repository.activity() === null) return;
      const notes = await comparisonsOf(repository, repo, before);
      if (canonicalJson(notes) !== canonicalJson(comparisonsIn(before, repo.name))) {
        found.set(repo.name, notes);
      }
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    }
  });
  if (found.size === 0) return;
  const state = await loadState(ctx.system, workspace) ??
    freshState(ctx.system, ctx.ecosystem, workspaceBranch);
  const known = state.repos.map((repo) => {
    const compared = found.get(repo.name);
    found.delete(repo.name);
    return compared === undefined ? repo : { ...repo, compared };
  });
  const added = [...found].map(([name, compared]) => ({ name, compared }));
  await saveState(ctx.system, workspace, { ...state, repos: [...known, ...added] });
}

// What is remembered of pushes: in the state of the workspace which commit went where, and the upstream of the
// branch.

/** A push that has arrived. */
export interface Arrived {
  readonly name: string;
  readonly branch: string;
  readonly commit: string;
}

/** The workspace whose state remembers. */
export type Remembering = {
  /** Absolute. */
  readonly workspace: string;
  readonly workspaceBranch: string;
};

/** Remembers pushes that have arrived in the state of the workspace. */
export async function rememberPushes(
  ctx: ExecuteContext,
  { workspace, workspaceBranch }: Remembering,
  arrived: readonly Arrived[],
): Promise<void> {
  if (arrived.length === 0) return;
  const pushed_at = timestamp(ctx.system.clock.now());
  const pushes = new Map<string, LastPush>(arrived.map(({ name, branch, commit }) => [
    name,
    { branch, commit: shortSha(commit), commit_full: commit, pushed_at },
  ]));
  const state = await loadState(ctx.system, workspace) ??
    freshState(ctx.system, ctx.ecosystem, workspaceBranch);
  const known = state.repos.map((repo) => {
    const push = pushes.get(repo.name);
    pushes.delete(repo.name);
    return push === undefined ? repo : { ...repo, last_push: push };
  });
  const added = [...pushes].map(([name, last_push]) => ({ name, last_push }));
  await saveState(ctx.system, workspace, { ...state, repos: [...known, ...added] });
}

/** Makes a branch follow the branch of the same name on its remote. */
export async function followRemote(
  git: ExecuteContext["git"],
  { repo, directory, remote, branch }: {
    readonly repo: string;
    readonly directory: string;
    readonly remote: string;
    readonly branch: string;
  },
): Promise<void> {
  await git.at(directory, repo).branches.setUpstream(branch, `${remote}/${branch}`);
}

/**
 * Does nothing while all goes well. After a kill the push of one repository is remembered as far as it has arrived,
 * because a repeated push finds nothing to send then.
 */
export const rememberPush = operation<
  Remembering & {
    readonly repo: string;
    readonly directory: string;
    readonly remote: string;
    readonly branch: string;
    /** The commit that was to go, before anything was committed on the way; null for none. */
    readonly head: string | null;
    /** How many commits it had that the remote had not. */
    readonly ahead: number;
    /** Whether the branch goes on following what it follows; an older version never said. */
    readonly follows?: boolean;
  }
>({
  name: "remember_push",
  describe: ({ repo }) => `Remember what was pushed of ${repo}`,
  tidies: true,
  touches: ({ directory, workspace }) => [directory, workspace],
  act: () => Promise.resolve(),
  async undo(ctx, args) {
    const { repo, directory, remote, branch, head, ahead, follows = false } = args;
    const repository = ctx.git.at(directory);
    if (await repository.activity() === null) return;
    const [there, here] = [
      await repository.refs.resolve(`refs/remotes/${remote}/${branch}`),
      await repository.refs.resolve(`refs/heads/${branch}`),
    ];
    if (there === null || here === null || (ahead === 0 && there === head)) return;
    const arrived = (head === null || await repository.history.isAncestor(head, there)) &&
      await repository.history.isAncestor(there, here);
    if (!arrived) return;
    await rememberPushes(ctx, args, [{ name: repo, branch, commit: there }]);
    // Another branch may be checked out by now, and git tells the upstream only of the current one.
    const { branch: current, upstream } = await repository.status();
    const isNew = !follows && current === branch && upstream !== `${remote}/${branch}`;
    if (isNew) await followRemote(ctx.git, args);
    ctx.report.log("info", `${repo}: remembered that ${remote}/${branch} has ${shortSha(there)}`);
  },
});
