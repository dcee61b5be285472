/** Which clones are in the middle of an update of their ticket (TICKET-8). */

import { isBranchName } from "../../base/ids.ts";
import type { Middle, Repository } from "../../git/mod.ts";
import type { TicketState, WorkspaceState } from "../state_format.ts";
import { isOwnState } from "../state.ts";
import { shellWord } from "../../base/text/words.ts";

/**
 * The command that makes the branch: out of that of the remote where it is known to have one, else out of the base
 * branch. No process.
 */
export async function branchAgainCommand(
  repository: Repository,
  { directory, branch, base }: {
    readonly directory: string;
    readonly branch: string;
    readonly base: string;
  },
): Promise<string> {
  const theirs = `refs/remotes/origin/${branch}`;
  const its = await repository.refs.base(base);
  const there = await repository.refs.peek([theirs, its.ref]);
  const words = there.has(theirs)
    ? ["--track", branch, `origin/${branch}`]
    : ["--no-track", branch, there.has(its.ref) ? its.name : base];
  return `git -C ${shellWord(directory)} branch ${words.map(shellWord).join(" ")}`;
}

/** The ticket whose update waits in a clone. */
export interface Updating {
  readonly ticket: string;
  /** Whether the clone is of its own workspace. */
  readonly own: boolean;
}

/** A repository with its base branch in the manifest. */
interface Branched {
  readonly name: string;
  readonly branch: string;
}

/** A clone with the branch that is checked out there. */
interface Standing {
  readonly repo: Branched;
  readonly branch: string | null;
}

/** The base branch of a repository in a ticket: the one it was started from, else the manifest's. */
export function baseOf(ticket: TicketState, repo: Branched): string {
  const all: unknown = ticket["repo_selections"];
  const own = Array.isArray(all)
    ? all.find((entry: unknown): entry is { source_branch: string } =>
      typeof entry === "object" && entry !== null && "repo" in entry && entry.repo === repo.name &&
      "source_branch" in entry && typeof entry.source_branch === "string"
    )
    : undefined;
  return own !== undefined && isBranchName(own.source_branch) ? own.source_branch : repo.branch;
}

/** The base branches of the branches that tickets work on in a repository, by those; of any other it is the manifest's. */
export function basesOfTickets(
  state: WorkspaceState | null,
  repo: Branched,
): ReadonlyMap<string, string> {
  return new Map(
    Object.values(state?.tickets ?? {}).flatMap((ticket): [string, string][] => {
      const branch = Object.hasOwn(ticket.repos, repo.name) ? ticket.repos[repo.name] : undefined;
      return branch === undefined ? [] : [[branch, baseOf(ticket, repo)]];
    }),
  );
}

/** The base branch of a branch of a repository: that of the ticket that works on it, else the manifest's. */
export function baseOfBranch(
  state: WorkspaceState | null,
  repo: Branched,
  branch: string,
): string {
  return basesOfTickets(state, repo).get(branch) ?? repo.branch;
}

/**
 * What keeps the commit that an update merges where a part of the branch is in its base branch in another form, for as
 * long as that takes: who comes after a merge that was cut off has to know it.
 */
export function jointRef(branch: string): string {
  return `refs/amof/keep/joint/${branch}`;
}

/**
 * What of an update of a ticket waits in a clone to go on or back; null where that is nothing, or something else.
 * One process; up to three where the merge is of another commit than one of the base branch.
 */
export async function updateWaiting(
  repository: Repository,
  ticket: TicketState,
  { repo, branch }: Standing,
): Promise<Middle | null> {
  const { Joining } = await import("../../git/write/mod.ts");
  const middle = await repository.part(Joining).middle();
  if (middle === null || (middle.branch ?? branch) !== (ticket.repos[repo.name] ?? "")) return null;
  const { ref } = await repository.refs.base(baseOf(ticket, repo));
  const isOurs = (commit: string) => repository.history.isAncestor(commit, ref).catch(() => false);
  if (await isOurs(middle.other)) return middle;
  const joined = middle.doing === "merge" && middle.other !== ""
    ? await repository.part(Joining).jointBase(middle.other)
    : null;
  return joined !== null && await isOurs(joined) ? middle : null;
}

/** The active ticket of a workspace where its update waits in a clone, by the processes of {@linkcode updateWaiting}. */
export async function ticketUpdating(
  repository: Repository,
  state: WorkspaceState | null,
  at: Standing,
): Promise<Updating | null> {
  const id = state?.active_ticket ?? null;
  const ticket = id === null ? undefined : state?.tickets[id];
  if (state === null || id === null || ticket === undefined) return null;
  return await updateWaiting(repository, ticket, at) === null
    ? null
    : { ticket: id, own: isOwnState(state) };
}
