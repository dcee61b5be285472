/** What `amof status` says of one repository, and what `--long` looks up besides (WORKSPACE-11). */

import { defined, fieldsOf } from "../../base/object.ts";
import { timestamp } from "../../base/system/mod.ts";
import {
  countBehind,
  isOnWrongBranch,
  type MergedAs,
  type RepoSnapshot,
} from "../../workspace/clones/mod.ts";
import {
  type LastPush,
  newSecrets,
  type RowError,
  rowError,
  type WorkspaceState,
} from "../../workspace/mod.ts";
import type { PutAway } from "../../workspace/tickets/mod.ts";
import type { OfTicket } from "../selection/areas.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import type { Need } from "../advice/head.ts";
import { type leavingOf, needsOf } from "../advice/needs.ts";
import type { Blocker } from "../pr/verdict.ts";
import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";

/** What is only told on request. */
interface Closer {
  /** The commit that is checked out; null where there is none. */
  readonly last_commit: { readonly subject: string; readonly committed_at: string } | null;
}

const NOTHING: Closer = { last_commit: null };

/** Looks closer at a repository that can be read; one that breaks meanwhile says nothing more. */
export async function lookCloser(
  { git }: Pick<CommandContext, "git">,
  { git: seen, directory, repo }: RepoSnapshot,
): Promise<Closer> {
  if (seen === null || seen.head === null) return NOTHING;
  try {
    const { subject, committedMs } = await git.at(directory, repo.name).history.last();
    return { last_commit: { subject, committed_at: timestamp(committedMs) } };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return NOTHING;
  }
}

/** What the remote itself said. */
export interface RemoteAnswer {
  readonly remote?: "current" | "changed" | "no_branch" | "unreachable";
  /** Why the remote could not be asked; absent when it answered. */
  readonly remote_error?: string;
}

/** What the forge said; absent where it was not asked. */
export interface OfForge {
  /** The pull request from the branch to its base branch; null where there is none, or no forge. */
  readonly pull_request?: {
    readonly number: number;
    readonly url: string;
    readonly state: "open" | "merged" | "closed";
    readonly draft: boolean;
    readonly blocked_by: readonly Blocker[];
  } | null;
  /** Why the forge could not be asked. */
  readonly pull_request_error?: string;
}

/** One row of the answer. */
export interface StatusRow extends RemoteAnswer, OfForge, Partial<Closer>, OfTicket {
  readonly name: string;
  /** Short name, `HEAD` when detached, `-` when missing. */
  readonly branch: string;
  /** Short commit, `-` when there is none. */
  readonly commit: string;
  readonly mode: "RW" | "RO";
  /** In the workspace of a ticket its part there: to be worked on, or to be read. */
  readonly role?: "work" | "context";
  /** `OK`, or tokens joined with `+`. */
  readonly status: string;
  readonly dirty: boolean;
  /** Whether a commit of a local branch, or of a head on none, is on no remote and not merged in another form. */
  readonly unpushed: boolean;
  /** The branches besides the one that is checked out that have such commits; absent where there are none. */
  readonly other_unpushed?: readonly { readonly branch: string; readonly ahead: number }[];
  /** How the work of the branch is in its base branch; absent where it is not, as far as is known. */
  readonly merged?: MergedAs;
  /**
   * The newest commit of the branch up to which its work is in its base branch, in another form than its
   * commits. Absent where there is none, as far as is known.
   */
  readonly landed?: string;
  /** How many commits the base branch has that the branch of the ticket has not, as far as is known; absent for none. */
  readonly behind_base?: number;
  readonly upstream: string | null;
  readonly ahead: number | null;
  readonly behind: number | null;
  /** Whether its base branch is at the commit of the lock, which its remote is known to have more than; absent where not. */
  readonly pinned?: true;
  readonly changed_files: number;
  /** How many of the changed files are in conflict. */
  readonly conflicts: number;
  /** New files that look secret, with which nothing is committed unasked; absent where there are none. */
  readonly secret_files?: readonly string[];
  /** Repositories in it that are no submodules, with which nothing is committed; absent where there are none. */
  readonly nested_repositories?: readonly string[];
  /** Submodules with commits that none of their remotes has, which a push waits for; absent where there are none. */
  readonly unsent_submodules?: readonly string[];
  /** The remote that git by itself pushes what is only here to, which no push does; absent where that is `origin`. */
  readonly pushes_to?: string;
  readonly stashes: number;
  /** What changes of the active ticket are put away as on its branch; absent where there are none. */
  readonly kept?: string;
  /** The other tickets whose changes are put away here, `main` for those of none; absent for none. */
  readonly put_away?: readonly string[];
  readonly detached: boolean;
  readonly in_progress: string | null;
  /** When anything was fetched last; null where nothing was since it was cloned. */
  readonly fetched_at: string | null;
  /** Set where the last fetch brought nothing, as one that failed, so that nobody knows what the remote has since. */
  readonly fetched_nothing?: true;
  readonly expected_branch: string;
  /** How many commits are nowhere else of that branch, which somebody deleted; absent where it is there. */
  readonly deleted?: number;
  /** Whether the active ticket was ended in it, so that what is new on its base branch is another one's; absent where not. */
  readonly ticket_ended?: true;
  /** The base branch of the manifest, which a push leaves alone unless told to take it. */
  readonly base_branch: string;
  readonly path: string;
  readonly last_push: LastPush | null;
  /** What somebody has to look at before git goes by it; absent where there is nothing (SEAL-3). */
  readonly untrusted?: readonly string[];
  /** What it needs that the others do not; absent where it needs nothing. */
  readonly needs?: readonly Need[];
  readonly error: RowError | null;
}

/** The place that rows are about. */
interface Surroundings {
  readonly manifest: Manifest;
  readonly state: WorkspaceState | null;
  readonly leaving: ReturnType<typeof leavingOf>;
  /** What changes of the active ticket are put away as on its branch, or null. */
  readonly kept: string | null;
  /** What is put away for others. */
  readonly elsewhere?: PutAway | undefined;
  /** The commit that the lock has of it. */
  readonly locked?: string | null | undefined;
  /** What its remote said; absent where it was not asked. */
  readonly answer?: RemoteAnswer | undefined;
}

/** Whether it is at rest at the commit of the lock, which its remote has more than, with nothing of its own (LOCK-3). */
function isAtLock(
  { repo, git }: RepoSnapshot,
  { locked, answer }: Pick<Surroundings, "locked" | "answer">,
): boolean {
  return git !== null && git.head !== null && git.head === locked && git.branch === repo.branch &&
    (git.ahead ?? 0) === 0 &&
    ((git.behind ?? 0) > 0 || answer?.remote === "changed");
}

/** What the upstream has that HEAD has not: news, or news on both sides; none that counts for one at the lock. */
function remoteTokens({ git }: RepoSnapshot, isPinned: boolean): string[] {
  if (git === null || (git.behind ?? 0) === 0) return [];
  return [(git.ahead ?? 0) > 0 ? "DIVERGED" : isPinned ? "PINNED" : "BEHIND"];
}

/** Whether something is only here. */
function isUnpushed({ unpushed, elsewhere, merged }: RepoSnapshot): boolean {
  return unpushed > 0 && merged === null || elsewhere.length > 0;
}

/** Whether the active ticket goes on in other repositories than this one, and was ended here (TICKET-17). */
function hasEndedIn({ name }: RepoSnapshot["repo"], state: WorkspaceState | null): boolean {
  const ticket = state?.tickets[state.active_ticket ?? ""];
  return ticket !== undefined && !Object.hasOwn(ticket.repos, name) &&
    Object.hasOwn(fieldsOf(ticket["left"]), name);
}

/** Whether the branch of a ticket is behind its base branch, and an update would bring that in. */
function isLate(
  { repo, git, behindBase, landed, retracted, inProgress, address }: RepoSnapshot,
  state: WorkspaceState | null,
): boolean {
  const ticket = state?.tickets[state.active_ticket ?? ""];
  return (behindBase ?? 0) > 0 && landed === null && retracted === null && inProgress === null &&
    address === null &&
    // What colleagues have on its own remote branch comes first.
    git !== null && git.branch !== null && (git.behind ?? 0) === 0 &&
    ticket?.repos[repo.name] === git.branch;
}

/**
 * The same with how far the branch of a ticket is behind its base branch as last fetched, where nobody has compared them
 * since. One process, none where that is known.
 */
export async function withBehind(
  { git }: Pick<CommandContext, "git">,
  snapshot: RepoSnapshot,
  state: WorkspaceState | null,
): Promise<RepoSnapshot> {
  const { git: seen, directory, repo, behindBase, merged, remoteBase } = snapshot;
  const isOpen = behindBase === 0 && merged === null &&
    isLate({ ...snapshot, behindBase: 1 }, state);
  if (!isOpen || seen === null || seen.head === null) return snapshot;
  const repository = git.at(directory, repo.name);
  const ref = `refs/remotes/${remoteBase}`;
  const base = (await repository.refs.peek([ref])).get(ref);
  if (base === undefined || base === seen.head) return snapshot;
  return { ...snapshot, behindBase: await countBehind(repository, { commit: seen.head, base }) };
}

/** The commits that wait to be pushed: none where a remote has all that the upstream lacks; null where git cannot know. */
function aheadOf({ git, unpushed, merged }: RepoSnapshot): number | null {
  if (git === null) return null;
  if (git.ahead !== null) return Math.min(unpushed, git.ahead);
  return unpushed > 0 && merged === null ? unpushed : null;
}

/** The tokens in their order (WORKSPACE-11), joined with `+`; `OK` when there is none. */
function statusTokens(
  snapshot: RepoSnapshot,
  { manifest, state, isPinned }: Pick<Surroundings, "manifest" | "state"> & {
    readonly isPinned: boolean;
  },
): string {
  const { git } = snapshot;
  if (snapshot.missing) return "MISSING";
  if (git === null) return "ERROR";
  const isConflicted = git.changes.some(({ conflicted }) => conflicted);
  // What an operation has left is told by itself; one that left nothing yet is not fine for that.
  const isWaiting = snapshot.inProgress !== null && git.branch !== null && git.changes.length === 0;
  const tokens = [
    ...(git.branch === null
      ? ["DETACHED"]
      : isOnWrongBranch(snapshot, manifest, state)
      ? ["WRONG_BRANCH"]
      : []),
    ...(isWaiting ? ["IN_PROGRESS"] : []),
    ...(isConflicted ? ["CONFLICT"] : []),
    ...(git.changes.length > 0 ? ["DIRTY"] : []),
    ...(snapshot.absent.length > 0 && snapshot.repo.submodules ||
        git.submodules.some(({ outOfStep, modified }) => outOfStep || modified)
      ? ["SUBMODULE"]
      : []),
    ...(snapshot.address === null ? [] : [snapshot.address === "" ? "NO_REMOTE" : "OTHER_ADDRESS"]),
    ...(snapshot.baseGone ? ["NO_BASE"] : []),
    ...(isUnpushed(snapshot) ? ["UNPUSHED"] : []),
    ...(snapshot.merged === null ? [] : ["MERGED"]),
    ...remoteTokens(snapshot, isPinned),
  ];
  return tokens.length === 0 ? "OK" : tokens.join("+");
}

/** One row of the status table. */
export function statusRow(snapshot: RepoSnapshot, surroundings: Surroundings): StatusRow {
  const { repo, git, fetchedMs } = snapshot;
  const { state, leaving, kept } = surroundings;
  const { tickets: putAway = [], astray = [] } = surroundings.elsewhere ?? {};
  const isAstray = isOnWrongBranch(snapshot, surroundings.manifest, state);
  const secrets = repo.readonly ? [] : newSecrets(git?.changes ?? []);
  const isPinned = isAtLock(snapshot, surroundings);
  const { perTicket } = surroundings.manifest;
  const needs = needsOf(snapshot, {
    ...{ isAstray, isPinned, state, leaving, kept, astray, perTicket },
  });
  return {
    name: repo.name,
    branch: git === null ? "-" : git.branch ?? "HEAD",
    commit: git?.head?.slice(0, 7) ?? "-",
    mode: repo.readonly ? "RO" : "RW",
    status: statusTokens(snapshot, { ...surroundings, isPinned }),
    dirty: (git?.changes.length ?? 0) > 0,
    unpushed: isUnpushed(snapshot),
    ...(snapshot.elsewhere.length === 0 ? {} : {
      other_unpushed: snapshot.elsewhere.map(({ branch, commits }) => ({ branch, ahead: commits })),
    }),
    ...(snapshot.merged === null ? {} : { merged: snapshot.merged }),
    ...(snapshot.landed === null ? {} : { landed: snapshot.landed }),
    ...(isLate(snapshot, state) ? { behind_base: snapshot.behindBase ?? 0 } : {}),
    upstream: git?.upstream ?? null,
    ahead: aheadOf(snapshot),
    behind: git?.behind ?? null,
    ...(isPinned ? { pinned: true } : {}),
    changed_files: git?.changes.length ?? 0,
    conflicts: git?.changes.filter(({ conflicted }) => conflicted).length ?? 0,
    ...(secrets.length === 0 ? {} : { secret_files: secrets.slice(0, 20) }),
    ...(repo.readonly || snapshot.nested.length === 0
      ? {}
      : { nested_repositories: snapshot.nested.slice(0, 20) }),
    ...(snapshot.unsent.length === 0 ? {} : { unsent_submodules: snapshot.unsent.slice(0, 20) }),
    ...(snapshot.pushesTo === null || repo.readonly ? {} : { pushes_to: snapshot.pushesTo }),
    stashes: git?.stashes ?? 0,
    ...(kept === null ? {} : { kept }),
    ...(putAway.length === 0 ? {} : { put_away: putAway }),
    detached: git !== null && git.branch === null,
    in_progress: snapshot.inProgress,
    fetched_at: fetchedMs === null ? null : timestamp(fetchedMs),
    ...(snapshot.fetchedNothing ? { fetched_nothing: true } : {}),
    expected_branch: snapshot.expectedBranch,
    ...defined({ deleted: snapshot.expectedFrom?.deleted }),
    ...(hasEndedIn(repo, state) ? { ticket_ended: true } : {}),
    base_branch: repo.branch,
    path: repo.path,
    last_push: state?.repos.find((entry) => entry.name === repo.name)?.last_push ?? null,
    ...(snapshot.untrusted.length === 0 ? {} : { untrusted: snapshot.untrusted }),
    ...(needs.length === 0 ? {} : { needs }),
    error: snapshot.error === null ? null : rowError(snapshot.error),
    ...surroundings.answer,
  };
}
