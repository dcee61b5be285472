/**
 * Looks at the repositories of a workspace, live (WORKSPACE-11).
 *
 * Costs one git process per repository. A second one counts what no remote has, where the branch that is checked out has
 * no upstream and is not where its base branch is at the remote, or, where that is asked, another local branch is neither
 * where a branch of `origin` is nor known to be in one (`merged.ts`); another one where a branch has diverged, and one
 * where changes are on another branch than that of the active ticket. Where the upstream was deleted and nobody has looked since,
 * up to twelve find out whether the work is merged.
 */

import { dirname, join } from "@std/path";
import { AmofError, toAmofError } from "../../base/error.ts";
import type { Reporter } from "../../contract/mod.ts";
import type {
  BranchUse,
  Git,
  InProgress,
  PorcelainStatus,
  Repository,
  Worktree,
} from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";
import {
  comparisonsIn,
  isKnownLanded,
  knownOf,
  landedBefore,
  type Landing,
  landingOf,
  type MergedAs,
  type Parting,
  partingOf,
  tipsOf,
} from "./merged.ts";
import { otherAddress } from "./address.ts";
import { inTheWay } from "./changes.ts";
import { absentSubmodules, nestedIn } from "./nested.ts";
import { suspectNames } from "../seals/names.ts";
import type { Manifest, Repo } from "../manifest/manifest.ts";
import type { LastPush, WorkspaceState } from "../state.ts";
import { inPoolOf } from "../tally.ts";
import { repoDirectory, requireAdopted } from "../workspace.ts";
import { basesOfTickets, withFollowed } from "../tickets/bases.ts";
import { ticketUpdating, type Updating } from "../tickets/updating.ts";
import { Slots } from "../../base/async/pool.ts";

// Reading and checking a manifest keeps one processor busy about as long as git needs for the first
// repositories on the others. What turns out not to belong to the ecosystem is dropped.

/** Looks that are under way, by directory. */
type Prefetched = ReadonlyMap<string, Promise<PorcelainStatus>>;

/** Whether a directory is a linked worktree in the usual form: both say so of each other. No process. */
async function isLinked({ files }: System, root: string, directory: string): Promise<boolean> {
  const file = join(directory, ".git");
  const place = /^gitdir: (.+)\n$/.exec(await files.readText(file).catch(() => null) ?? "")?.[1];
  if (place === undefined || dirname(place) !== join(root, ".git", "worktrees")) return false;
  return await files.readText(join(place, "gitdir")).catch(() => null) === `${file}\n`;
}

/** Begins to look at what lies where clones usually lie; `wanted` limits it to some. */
export async function prefetch(
  tools: { readonly system: System; readonly git: Git; readonly jobs: number },
  root: string,
  ecosystem: string,
  { worktrees, wanted }: {
    readonly worktrees: Promise<readonly Worktree[]>;
    readonly wanted: (name: string) => boolean;
  },
): Promise<Prefetched> {
  const usual = join(root, "worktrees", ecosystem);
  const looks = new Map<string, Promise<PorcelainStatus>>();
  const isThere = await isLinked(tools.system, root, usual) ||
    (await worktrees).some((entry) => entry.path === usual);
  if (!isThere) return looks;
  const names = (await tools.system.files.list(join(usual, "repos")))
    .filter(({ name, kind }) => kind === "directory" && !name.startsWith(".") && wanted(name))
    .map(({ name }) => name);
  // Not awaited: whoever needs a status waits for that one alone.
  void tools.git.together(
    { count: names.length, jobs: tools.jobs, early: true },
    async (git, jobs) => {
      const slots = new Slots(jobs);
      for (const name of names) {
        const directory = join(usual, "repos", name);
        looks.set(directory, slots.turn(() => git.at(directory, name).status()));
      }
      // A failure is reported to whoever takes the result; here it must not count as unhandled.
      await Promise.allSettled(looks.values());
    },
  );
  return looks;
}

/** A repository as it stands on the disk. */
export interface RepoSnapshot {
  readonly repo: Repo;
  /** Absolute; empty when the place is unusable. */
  readonly directory: string;
  /** The branch it should be on. */
  readonly expectedBranch: string;
  /**
   * The remote-tracking branch to make that one of, empty where none was fetched, and whether git can follow it; null where
   * that one is there.
   */
  readonly expectedFrom: { readonly ref: string; readonly tracks: boolean } | null;
  /**
   * The base branch of the one that is checked out, at its remote (WORKSPACE-34), such as `origin/main`; empty where
   * nobody looked.
   */
  readonly remoteBase: string;
  /** Whether git takes its changes along to that one, where it belongs to the active ticket; null where nobody looked. */
  readonly goesAlong: boolean | null;
  /** Null when the repository is missing or unreadable. */
  readonly git: PorcelainStatus | null;
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
  }[];
  /** How the work of the branch that is checked out is in its base branch; null where it is not, as far as is known. */
  readonly merged: MergedAs | null;
  /**
   * Its commit up to which its work is in the base branch, where that has more; null where there is none, as far as is
   * known. What follows belongs on top of the base branch.
   */
  readonly landed: string | null;
  /** How many commits its base branch has that it has not, as far as is known, where its work is not there. */
  readonly behindBase: number;
  readonly inProgress: InProgress | null;
  /** The ticket whose update that is; null where it is something else, or nothing. */
  readonly updating: Updating | null;
  /** When anything was fetched last, in milliseconds since the epoch; null where nothing was since it was cloned. */
  readonly fetchedMs: number | null;
  readonly missing: boolean;
  /** The address of its `origin` where the manifest has another one, empty where it lacks that; null where they are the same. */
  readonly address: string | null;
  /** Whether the remote had the base branch once, and has it no more as last fetched: it was renamed or deleted. */
  readonly baseGone: boolean;
  /** What is the matter where the branch that is checked out and its upstream have diverged, but that; else null. */
  readonly parting: Parting | null;
  /** Submodules that the manifest says it has, and that were never checked out. */
  readonly absent: readonly string[];
  /** Repositories among its changes that are no submodules, of which a commit would only have the name. */
  readonly nested: readonly string[];
  /** What somebody has to look at before git goes by it, by name (SEAL-3). */
  readonly untrusted: readonly string[];
  /** Whether git can work there all the same, in the box of the ticket (SEAL-9). */
  readonly confined: boolean;
  /** What has the branch that it should be on in another working copy, where it is not there; null for nothing. */
  readonly occupied: BranchUse | null;
  /** Whether HEAD is on no branch because jj works there beside git. */
  readonly jj: boolean;
  /** Why it could not be read, or null. */
  readonly error: AmofError | null;
}

/** The branch a repository should be on: its ticket branch when the active ticket tracks it, else its base. */
function expectedBranch(repo: Repo, state: WorkspaceState | null): string {
  if (repo.readonly || state === null || state.active_ticket === null) return repo.branch;
  return state.tickets[state.active_ticket]?.repos[repo.name] ?? repo.branch;
}

/** A repository that is not there, or was not looked at. */
function unseen(repo: Repo, state: WorkspaceState | null): RepoSnapshot {
  return {
    repo,
    directory: "",
    expectedBranch: expectedBranch(repo, state),
    expectedFrom: null,
    remoteBase: "",
    goesAlong: null,
    git: null,
    unpushed: 0,
    loose: 0,
    landed: null,
    behindBase: 0,
    elsewhere: [],
    merged: null,
    inProgress: null,
    updating: null,
    fetchedMs: null,
    missing: false,
    address: null,
    baseGone: false,
    parting: null,
    absent: [],
    nested: [],
    untrusted: [],
    confined: false,
    occupied: null,
    jj: false,
    error: null,
  };
}

/** A repository of a workspace that is not installed. */
export function missingSnapshot(repo: Repo, state: WorkspaceState | null): RepoSnapshot {
  return { ...unseen(repo, state), missing: true };
}

/** Whether the repository is on a branch where it should not be (WORKSPACE-10). */
export function isOnWrongBranch(
  snapshot: RepoSnapshot,
  manifest: Manifest,
  state: WorkspaceState | null,
): boolean {
  if (snapshot.git === null) return false;
  const { branch } = snapshot.git;
  if (branch === snapshot.expectedBranch) return false;
  // Without an active ticket any feature branch is accepted.
  const free = !snapshot.repo.readonly && (state?.active_ticket ?? null) === null;
  return !(free && branch !== null && branch.startsWith(`${manifest.featurePrefix}/`));
}

/** How to look. */
export interface InspectOptions {
  /** `all` lists the files of new directories one by one. */
  readonly untracked?: "normal" | "all";
  /** Whether the other local branches are looked at, too. */
  readonly others?: boolean;
  /** Looks that are under way already. */
  readonly prefetched?: Prefetched;
}

/** A base branch that follows nothing, counted against its remote. One process, none where both are the same. */
async function besideRemote(
  repository: Repository,
  seen: PorcelainStatus,
  ref: string,
): Promise<PorcelainStatus> {
  const tip = (await repository.refs.peek([ref])).get(ref);
  if (tip === undefined || seen.head === null || tip === seen.head) return seen;
  const apart = await repository.history.apart(seen.head, tip);
  return apart === null ? seen : { ...seen, ahead: apart.one, behind: apart.other };
}

/**
 * How a branch that has diverged and its upstream have parted; where they never meet because the history here was cut
 * off, git cannot know the numbers, and they are left out. No process where nothing has diverged.
 */
async function meeting(
  repository: Repository,
  status: PorcelainStatus,
  { isShallow, repo, state }: {
    readonly isShallow: boolean;
    readonly repo: Repo;
    readonly state: WorkspaceState | null;
  },
): Promise<{ readonly git: PorcelainStatus; readonly parting: Parting | null }> {
  const { head, branch } = status;
  const isBase = branch !== null &&
    (branch === repo.branch || [...basesOfTickets(state, repo).values()].includes(branch));
  const isLoose = status.upstream === null && isBase;
  const base = isLoose ? branch : repo.branch;
  const its = await repository.refs.base(base);
  const seen = isLoose ? await besideRemote(repository, status, its.ref) : status;
  const upstream = isLoose ? its.name : status.upstream;
  const hasDiverged = (seen.ahead ?? 0) > 0 && (seen.behind ?? 0) > 0;
  if (!hasDiverged || head === null || upstream === null) return { git: seen, parting: null };
  const ofBase = branch === base && upstream === its.name;
  if (ofBase && isKnownLanded(comparisonsIn(state, repo.name), base, head)) {
    return { git: seen, parting: "landed" };
  }
  const there = ofBase ? its.ref : "@{upstream}";
  const parting = await partingOf(repository, { head, there, ofBase });
  return parting === "anew" && isShallow
    ? { git: { ...seen, ahead: null, behind: null }, parting: null }
    : { git: seen, parting };
}

/** Which commits no remote has, of HEAD and of the other local branches, and whether the work of HEAD is merged. */
async function branchesOf(
  repository: Repository,
  { head, branch, upstream, ahead, changes }: PorcelainStatus,
  { repo, state, others }: {
    readonly repo: Repo;
    readonly state: WorkspaceState | null;
    readonly others: boolean;
  },
): Promise<
  Pick<
    RepoSnapshot,
    | "expectedFrom"
    | "remoteBase"
    | "goesAlong"
    | "unpushed"
    | "loose"
    | "elsewhere"
    | keyof Standing
    | "baseGone"
  >
> {
  const expected = expectedBranch(repo, state);
  const bases = basesOfTickets(state, repo);
  const found = await repository.refs.peekBranches([repo.branch, expected, ...bases.values()]);
  const tipsAt = (name: string) => tipsOf(found, name, bases.get(name) ?? repo.branch);
  const kept = comparisonsIn(state, repo.name);
  const isDetached = branch === null;
  const unsure = [...found.heads].sort().filter(([name, commit]) => {
    // What is in the branch that is checked out, too, goes with it.
    const isAsked = others || isDetached;
    const tips = commit === head || !isAsked ? null : tipsAt(name);
    if (tips === null) return false;
    const { pushed, merged } = knownOf(tips, kept);
    return !pushed && (merged ?? null) === null;
  });
  const tips = isDetached ? null : tipsAt(branch);
  // What the base branch at the remote has is not only here, whatever the branch's own upstream lacks.
  const isThere = tips !== null && knownOf(tips, kept).pushed;
  const mustCount = head !== null && ahead === null && !isThere;
  const { counts, holdsHead } = mustCount || unsure.length > 0
    ? await repository.history.unpushedOf(unsure.map(([, commit]) => commit), head)
    : { counts: new Map<string, number>(), holdsHead: false };
  const unpushed = isThere ? 0 : mustCount ? counts.get(head) ?? 0 : ahead ?? 0;
  const isHeld = holdsHead || [...found.heads.values()].some((commit) => commit === head);
  const its = found.base(repo.branch);
  const isTheirs = expected !== repo.branch && found.remotes.has(expected);
  const from = isTheirs ? `origin/${expected}` : its.commit === undefined ? "" : its.name;
  const [there, hasTicket] = [found.heads.get(expected), (state?.active_ticket ?? null) !== null];
  const mustFit = hasTicket && head !== null && branch !== expected && changes.length > 0;
  const elsewhere = unsure.map(([name, commit]) => ({
    branch: name,
    commits: counts.get(commit) ?? 0,
  })).filter(({ commits }) => others && commits > 0);
  return {
    expectedFrom: found.heads.has(expected) ? null : {
      ref: from,
      tracks: from === `origin/${expected}`
        ? await repository.branches.lacking(expected) === null
        : expected === repo.branch && from !== "",
    },
    remoteBase: found.base(bases.get(branch ?? "") ?? repo.branch).name,
    goesAlong: mustFit && there !== undefined
      ? inTheWay(changes, await repository.files.differing(head, there)).length === 0
      : null,
    unpushed,
    baseGone: head !== null && its.commit === undefined &&
      (await repository.branches.tracking()).has(repo.branch),
    loose: isDetached && !isHeld ? unpushed : 0,
    elsewhere: await Promise.all(elsewhere.map(async (one) => {
      const lacks = await repository.branches.lacking(one.branch);
      return lacks === null ? one : { ...one, lacks };
    })),
    ...isDetached || branch === repo.branch ? OPEN : await mergedNow(repository, tips, {
      kept,
      isGone: upstream !== null && ahead === null,
      lastPush: state?.repos.find(({ name }) => name === repo.name)?.last_push,
    }),
  };
}

/** How a branch stands to its base branch. */
type Standing = Landing & Pick<RepoSnapshot, "behindBase">;

const OPEN: Standing = { merged: null, landed: null, behindBase: 0 };

/** How the work of a branch is in its base branch: as is remembered, or where its upstream is gone as git finds it. */
async function mergedNow(
  repository: Repository,
  tips: ReturnType<typeof tipsOf>,
  { kept, isGone, lastPush }: {
    readonly kept: ReturnType<typeof comparisonsIn>;
    readonly isGone: boolean;
    readonly lastPush: LastPush | undefined;
  },
): Promise<Standing> {
  if (tips === null || tips.base === undefined) return OPEN;
  const { merged, landed, behind: behindBase } = knownOf(tips, kept);
  if (merged !== undefined) return { merged, landed, behindBase };
  const before = Object.hasOwn(kept, tips.branch) ? kept[tips.branch] : undefined;
  const [at, evidence] = [{ ...tips, base: tips.base }, { lastPush, before, isGone }];
  if (isGone) return { ...OPEN, ...await landingOf(repository, at, evidence) };
  // Where it was behind, it is so until that is brought in.
  const wasBehind = before?.with === at.base && (before.behind ?? 0) > 0;
  return {
    merged: null,
    landed: await landedBefore(repository, at, before),
    behindBase: wasBehind ? await repository.history.countBetween(at.commit, at.base) ?? 0 : 0,
  };
}

async function look(
  tools: { system: System; git: Git },
  { workspace, repo, state: known }: {
    readonly workspace: string;
    readonly repo: Repo;
    readonly state: WorkspaceState | null;
  },
  options: InspectOptions,
): Promise<RepoSnapshot> {
  const base = unseen(repo, known);
  try {
    const directory = await repoDirectory(tools.system, workspace, repo);
    const repository = tools.git.at(directory, repo.name);
    const activity = await repository.activity();
    if (activity === null) {
      const info = await tools.system.files.stat(directory);
      const empty = info?.kind === "directory" &&
        (await tools.system.files.list(directory)).length === 0;
      if (info === null || empty) {
        await requireAdopted(tools.system, workspace, repo);
        return { ...base, directory, missing: true };
      }
      throw new AmofError(
        "git_failed",
        `Cannot read "${repo.name}": ${repo.path} exists but is not a git repository`,
        {
          hint: "Move it away, then: amof install --repair",
          details: { repo: repo.name, kind: "not_a_repo" },
        },
      );
    }
    const seen = await (options.prefetched?.get(directory) ?? repository.status(options.untracked));
    const suspects = await repository.suspects();
    const untrusted = suspects === null ? [] : suspectNames(suspects);
    const { isShallow, ...standing } = activity;
    // The remote may have been fetched since the state was read.
    const state = await withFollowed(known, repo, repository);
    const { git, parting } = await meeting(repository, seen, { isShallow, repo, state });
    const confined = suspects?.confined ?? false;
    const branches = await branchesOf(repository, git, {
      repo,
      state,
      others: options.others === true,
    });
    const address = await otherAddress(repository, repo.url);
    const updating = activity.inProgress === null
      ? null
      : await ticketUpdating(repository, state, { repo, branch: git.branch });
    const absent = repo.submodules ? await absentSubmodules(tools.system, directory) : [];
    const nested = await nestedIn(tools.system, repository, directory, git);
    const jj = git.branch === null && await repository.hasJj();
    const occupied = git.branch === base.expectedBranch
      ? null
      : await repository.worktrees.usedElsewhere(base.expectedBranch);
    // Without the remote nothing is known of its branches.
    const baseGone = branches.baseGone && address !== "";
    const shown = { updating, address, absent, nested, untrusted, confined, jj };
    return {
      ...base,
      directory,
      git,
      ...branches,
      ...shown,
      occupied,
      baseGone,
      parting,
      ...standing,
    };
  } catch (thrown) {
    const error = toAmofError(thrown, () => tools.system.ids.hex(8));
    // Nobody is kept from taking a clone away while it is looked at.
    const went = error.details["kind"] === "no_directory" &&
      await tools.system.files.stat(join(workspace, repo.path)) === null;
    return went ? { ...base, missing: true } : { ...base, error };
  }
}

/**
 * Looks at repositories in parallel; the answer keeps their order, and one failure hides no other. Throws `cancelled`
 * when it was interrupted, because what was not looked at is no failure of a repository.
 */
export async function inspectRepos(
  tools: {
    readonly system: System;
    readonly git: Git;
    readonly jobs: number;
    readonly report: Reporter;
  },
  { workspace, repos, state }: {
    readonly workspace: string;
    readonly repos: readonly Repo[];
    readonly state: WorkspaceState | null;
  },
  options: InspectOptions = {},
): Promise<RepoSnapshot[]> {
  const asked = { count: repos.length, jobs: tools.jobs };
  const snapshots = await tools.git.together(asked, (git, jobs) => {
    const helped = { ...tools, git, jobs };
    return inPoolOf(
      helped,
      "checking",
      repos,
      (repo) => look(helped, { workspace, repo, state }, options),
    );
  });
  const stopped = snapshots.find(({ error }) => error?.code === "cancelled");
  if (stopped?.error) throw stopped.error;
  return snapshots;
}
