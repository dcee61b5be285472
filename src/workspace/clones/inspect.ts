/**
 * Looks at the repositories of a workspace, live (WORKSPACE-11).
 *
 * Costs one git process per repository. A second one counts what no remote has. It is needed where the branch
 * that is checked out has no upstream and is not where its base branch is at the remote. Where all branches are
 * asked for, it is also needed for one that is at no branch of `origin` and not known to be in one
 * (`merged.ts`).
 *
 * There is one more for each of these:
 *
 * - A branch has diverged.
 * - Changes are on another branch than that of the active ticket.
 * - New files are there and something comes in.
 * - Conflicts are beside a stash.
 *
 * Where the upstream was deleted and nobody has looked since, up to twelve find out whether the work is merged.
 * So they do, after two more, where somebody deleted the branch of the ticket here.
 */

import { join } from "@std/path";
import { AmofError, toAmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { defined } from "../../base/object.ts";
import type { Reporter } from "../../contract/mod.ts";
import {
  type BranchUse,
  type Git,
  type InProgress,
  type KeptLook,
  type PorcelainStatus,
  Trace,
} from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { branchesOf, type BranchFacts, expectedBranch, meeting } from "./branches.ts";
import { unsentRelease } from "./unsent_release.ts";
import type { Parting } from "./merged.ts";
import { fetchedElsewhere, misnamedRemote, otherAddress } from "./address.ts";
import { absentSubmodules, formerSubmodules, nestedIn, unsentSubmodules } from "./nested.ts";
import { suspectNames } from "../seals/guard.ts";
import { makeRoom } from "../refusal.ts";
import type { Manifest, Repo } from "../manifest/manifest.ts";
import type { WorkspaceState } from "../state.ts";
import { inPoolOf } from "../progress.ts";
import { repoDirectory, requireAdopted } from "../workspace.ts";
import { withFollowed } from "../tickets/bases.ts";
import { ticketUpdating, type Updating } from "../tickets/updating.ts";
import { Slots } from "../../base/async/pool.ts";

// Reading and checking a manifest keeps one processor busy about as long as git needs for the first
// repositories on the others. What turns out not to belong to the ecosystem is dropped.

/** A look that has begun: the last one where that still holds, else what git says now, and the trace of the question. */
interface Begun {
  readonly last: KeptLook | null;
  readonly trace?: Trace;
  readonly status?: Promise<PorcelainStatus>;
}

/** What these looks are called among others. */
const KIND = "standing";

/** Looks that are under way, by directory. */
type Prefetched = ReadonlyMap<string, Promise<Begun>>;

/** Begins to look at what lies where clones usually lie; `wanted` limits it to some. */
export async function prefetch(
  tools: { readonly system: System; readonly git: Git; readonly jobs: number },
  root: string,
  ecosystem: string,
  wanted: (name: string) => boolean,
): Promise<Prefetched> {
  const usual = join(root, "worktrees", ecosystem);
  const looks = new Map<string, Promise<Begun>>();
  if (!await tools.git.at(root).worktrees.has(usual)) return looks;
  const names = (await tools.system.files.list(join(usual, "repos")))
    .filter(({ name, kind }) => kind === "directory" && !name.startsWith(".") && wanted(name))
    .map(({ name }) => name);
  const slots = new Slots(tools.jobs);
  for (const name of names) {
    const directory = join(usual, "repos", name);
    // Not awaited: whoever needs a status waits for that one alone.
    const look = slots.turn(async () => {
      const last = await tools.git.at(directory, name).lastLook(KIND);
      if (last !== null) return { last };
      const trace = new Trace(tools.system);
      const status = tools.git.traced(trace).at(directory, name).status();
      // A failure is reported to whoever takes the result; here it must not count as unhandled.
      await status.catch(() => {});
      return { last, trace, status };
    });
    look.catch(() => {});
    looks.set(directory, look);
  }
  return looks;
}

/** A repository as it stands on the disk. */
export interface RepoSnapshot extends BranchFacts {
  readonly repo: Repo;
  /** Absolute; empty when the place is unusable. */
  readonly directory: string;
  /** The branch it should be on. */
  readonly expectedBranch: string;
  /** Null when the repository is missing or unreadable. */
  readonly git: PorcelainStatus | null;
  readonly inProgress: InProgress | null;
  /** The ticket whose update that is; null where it is something else, or nothing. */
  readonly updating: Updating | null;
  /** When anything was fetched last, in milliseconds since the epoch; null where nothing was since it was cloned. */
  readonly fetchedMs: number | null;
  /** Whether its last fetch brought nothing although its remote has had its base branch. */
  readonly fetchedNothing: boolean;
  readonly missing: boolean;
  /** The address of its `origin` where the manifest has another one, empty where it lacks that; null where they are the same. */
  readonly address: string | null;
  /** The remote that has the address of the manifest where it has no `origin`; null for none. */
  readonly misnamed: string | null;
  /**
   * What is the matter where the branch that is checked out and its upstream have diverged, but that; else null.
   * `unfetched`: what is known of the upstream is of another repository, from an address that is no remote's any more.
   */
  readonly parting: Parting | "unfetched" | null;
  /** The remote that git by itself pushes what is only here to, where the clone names another than `origin`; else null. */
  readonly pushesTo: string | null;
  /** The tag of a release that is on the base branch here, and not at the remote; null for none. */
  readonly release: string | null;
  /** Whether its conflicts are what the newest stash met, so that what came with them is there. */
  readonly ofStash: boolean;
  /** Submodules that the manifest says it has, and that were never checked out. */
  readonly absent: readonly string[];
  /** The submodules at commits that none of their remotes has, where others are looked at and a push would name them. */
  readonly unsent: readonly string[];
  /** Repositories among its changes that are no submodules, of which a commit would only have the name. */
  readonly nested: readonly string[];
  /** Those of them that were submodules before the last change of commits. */
  readonly former: readonly string[];
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

/** A repository that is not there, or was not looked at. */
function unseen(repo: Repo, state: WorkspaceState | null): RepoSnapshot {
  return {
    repo,
    directory: "",
    expectedBranch: expectedBranch(repo, state),
    expectedFrom: null,
    remoteBase: "",
    goesAlong: null,
    barred: [],
    git: null,
    release: null,
    unpushed: 0,
    loose: 0,
    landed: null,
    retracted: null,
    behindBase: 0,
    elsewhere: [],
    merged: null,
    inProgress: null,
    updating: null,
    fetchedMs: null,
    fetchedNothing: false,
    missing: false,
    address: null,
    misnamed: null,
    ofStash: false,
    pushesTo: null,
    baseGone: false,
    baseNow: null,
    parting: null,
    absent: [],
    unsent: [],
    nested: [],
    former: [],
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

/** Throws where something stands at the place of a clone that is no repository, or what was adopted there is gone. */
export async function requireAbsent(
  system: System,
  workspace: string,
  { repo, directory }: { readonly repo: Repo; readonly directory: string },
): Promise<void> {
  const info = await system.files.stat(directory);
  const isEmpty = info?.kind === "directory" && (await system.files.list(directory)).length === 0;
  if (info === null || isEmpty) return await requireAdopted(system, workspace, repo);
  throw new AmofError(
    "git_failed",
    `Cannot read "${repo.name}": ${repo.path} exists but is not a git repository`,
    {
      hint: makeRoom(directory, "amof install --repair"),
      details: { repo: repo.name, kind: "not_a_repo" },
    },
  );
}

/** What a look is for, besides the directory. */
interface Sought {
  readonly workspace: string;
  readonly repo: Repo;
  readonly state: WorkspaceState | null;
}

/** Hashes of records: all looks of a call are for the same one. */
const STATES = new WeakMap<WorkspaceState, string>();

/** What decides besides the disk what comes of a look, as one short text. */
function keyOf({ repo, state }: Sought, { others = false, untracked = "normal" }: InspectOptions) {
  const recorded = state === null ? "" : STATES.get(state) ?? sha256(JSON.stringify(state));
  if (state !== null) STATES.set(state, recorded);
  return sha256(JSON.stringify([repo, recorded, others, untracked])).slice(0, 20);
}

/** Looks into what is there, as that is now. */
async function lookInto(
  tools: { readonly system: System; readonly git: Git },
  { workspace, directory, repo, state: known }: Sought & { readonly directory: string },
  { others = false, untracked, status }: InspectOptions & {
    readonly status?: Promise<PorcelainStatus>;
  },
): Promise<RepoSnapshot> {
  const base = unseen(repo, known);
  const repository = tools.git.at(directory, repo.name);
  const activity = await repository.activity();
  if (activity === null) {
    await requireAbsent(tools.system, workspace, { repo, directory });
    return { ...base, directory, missing: true };
  }
  const seen = await (status ?? repository.status(untracked));
  const suspects = await repository.suspects();
  const untrusted = suspects === null ? [] : suspectNames(suspects);
  // The remote may have been fetched since the state was read.
  const state = await withFollowed(known, repo, repository);
  const { git, parting: parted } = await meeting(repository, seen, { repo, state });
  const confined = suspects?.confined ?? false;
  const branches = await branchesOf(repository, git, { repo, state, others });
  const parting = parted === "anew" && await fetchedElsewhere(repository) ? "unfetched" : parted;
  const address = await otherAddress(repository, repo.url);
  const misnamed = address === "" ? await misnamedRemote(repository, repo.url) : null;
  const updating = activity.inProgress === null
    ? null
    : await ticketUpdating(repository, state, { repo, branch: git.branch });
  const absent = repo.withoutSubmodules === true
    ? []
    : await absentSubmodules(tools.system, directory);
  const names = branches.unpushed > 0 || git.submodules.some(({ moved }) => moved);
  const unsent = others && names && !repo.readonly && untrusted.length === 0
    ? await unsentSubmodules(tools, directory)
    : [];
  const nested = await nestedIn(tools.system, repository, directory, git);
  const former = await formerSubmodules(tools.system, directory, nested);
  const jj = git.branch === null && await repository.hasJj();
  const occupied = git.branch === base.expectedBranch
    ? null
    : await repository.worktrees.usedElsewhere(base.expectedBranch);
  const conflicts = git.changes.filter(({ conflicted }) => conflicted);
  const ofStash = conflicts.length > 0 && git.stashes > 0 && activity.inProgress === null &&
    await repository.files.areOfStash(conflicts);
  const onlyHere = branches.unpushed + git.changes.length > 0 ? git.branch : null;
  const to = onlyHere === null ? null : await repository.remotes.pushRemote(onlyHere);
  const pushesTo = to === "origin" ? null : to;
  const isBase = git.branch === repo.branch && branches.unpushed > 0 && git.head !== null;
  const release = isBase && !repo.readonly && address === null
    ? await unsentRelease(repository, {
      tip: git.head,
      without: `refs/remotes/${branches.remoteBase}`,
    })
    : null;
  // Of a remote without branches there is nothing to note.
  const tracked = `refs/remotes/${branches.remoteBase}`;
  const fetchedNothing = activity.fetchedNothing && address === null &&
    (await repository.refs.peek([tracked])).has(tracked);
  // Without the remote nothing is known of its branches.
  const baseGone = branches.baseGone && address !== "";
  return {
    ...base,
    directory,
    git,
    ...branches,
    ...activity,
    ...{ updating, address, misnamed, absent, unsent, nested, former, untrusted, confined },
    ...{ jj, ofStash, pushesTo, release, occupied, baseGone, parting, fetchedNothing },
  };
}

async function look(
  tools: { readonly system: System; readonly git: Git },
  sought: Sought,
  options: InspectOptions,
): Promise<RepoSnapshot> {
  const { workspace, repo } = sought;
  const base = unseen(repo, sought.state);
  try {
    const directory = await repoDirectory(tools.system, workspace, repo);
    const begun: Begun = await options.prefetched?.get(directory) ??
      { last: await tools.git.at(directory, repo.name).lastLook(KIND) };
    const key = keyOf(sought, options);
    if (begun.last?.key === key) return { ...JSON.parse(begun.last.text), repo };
    const { trace = new Trace(tools.system), status } = begun;
    const traced = { system: trace.system, git: tools.git.traced(trace) };
    const snapshot = await lookInto(traced, { ...sought, directory }, {
      ...options,
      ...defined({ status }),
    });
    const isSound = snapshot.git !== null && snapshot.untrusted.length === 0;
    const { repo: _, ...found } = snapshot;
    if (isSound) {
      await tools.git.at(directory, repo.name).keepLook(trace, { kind: KIND, key, found });
    }
    return snapshot;
  } catch (thrown) {
    const error = toAmofError(thrown, () => tools.system.ids.hex(8));
    // Nobody is kept from taking a clone away while it is looked at.
    const went = error.details["kind"] === "no_directory" &&
      await tools.system.files.stat(join(workspace, repo.path)) === null;
    return went ? { ...base, missing: true } : { ...base, error };
  }
}

/**
 * Looks at repositories in parallel; the answer keeps their order, and one failure hides no other. Throws where it was
 * interrupted, and where there is no git: neither is a failure of a repository.
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
  const snapshots = await tools.git.keeping(() =>
    inPoolOf(
      tools,
      "checking",
      repos,
      (repo) => look(tools, { workspace, repo, state }, options),
    )
  );
  const stopped = snapshots.find(({ error }) =>
    error?.code === "cancelled" || error?.details["kind"] === "no_git"
  );
  if (stopped?.error) throw stopped.error;
  return snapshots;
}
