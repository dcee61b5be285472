/** Which clones are in the middle of an update of their ticket (TICKET-8). */

import type { Middle, Repository } from "../../git/mod.ts";
import type { TicketState, WorkspaceState } from "../state_format.ts";
import { baseOf, type Branched } from "./bases.ts";
import { isOwnState } from "../state.ts";
import { shellWord } from "../../base/text/words.ts";

/**
 * What brings a missing branch back, as a line of a hint. It begins at the branch that it was renamed to, else at its
 * branch at the remote, else at the commit where it was left, else at the base branch. At most one process.
 */
export async function branchAgain(
  repository: Repository,
  { directory, branch, base }: {
    readonly directory: string;
    readonly branch: string;
    readonly base: string;
  },
): Promise<string> {
  const { refs, branches } = repository;
  const { heads } = await refs.peekBranches([]);
  const renamed = branch === base ? null : await branches.renamedFrom(branch, [...heads.keys()]);
  const at = `git -C ${shellWord(directory)} branch`;
  if (renamed !== null) {
    return `Give it its name back: ${at} -m ${shellWord(renamed)} ${shellWord(branch)}`;
  }
  const theirs = `refs/remotes/origin/${branch}`;
  const its = await refs.base(base);
  const there = await refs.peek([theirs, its.ref]);
  const left = there.has(theirs) ? null : await branches.leftAt(branch);
  const words = there.has(theirs) ? ["--track", branch, `origin/${branch}`] : [
    "--no-track",
    branch,
    (left === null ? null : await refs.resolve(left)) ?? (there.has(its.ref) ? its.name : base),
  ];
  return `Make it again: ${at} ${words.map(shellWord).join(" ")}`;
}

/** The ticket whose update waits in a clone. */
export interface Updating {
  readonly ticket: string;
  /** Whether the clone is of its own workspace. */
  readonly own: boolean;
}

/** A clone with the branch that is checked out there. */
interface CheckedOut {
  readonly repo: Branched;
  readonly branch: string | null;
}

/**
 * The ref that keeps the commit which an update merges, where a part of the branch is in its base branch in another
 * form. Whoever comes after a merge that was cut off has to know it.
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
  { repo, branch }: CheckedOut,
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
  at: CheckedOut,
): Promise<Updating | null> {
  const id = state?.active_ticket ?? null;
  const ticket = id === null ? undefined : state?.tickets[id];
  if (state === null || id === null || ticket === undefined) return null;
  return await updateWaiting(repository, ticket, at) === null
    ? null
    : { ticket: id, own: isOwnState(state) };
}
