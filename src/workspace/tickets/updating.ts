/** Which clones are in the middle of an update of their ticket (TICKET-8). */

import { isBranchName } from "../../base/ids.ts";
import type { Middle, Repository } from "../../git/mod.ts";
import type { TicketState, WorkspaceState } from "../state_format.ts";
import { isOwnState } from "./state.ts";

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

/** The full name of a base branch as it was last fetched. */
export function remoteBase(base: string): string {
  return `refs/remotes/origin/${base}`;
}

/**
 * What of an update of a ticket waits in a clone to go on or back; null where that is nothing, or something else.
 * At most one process.
 */
export async function updateWaiting(
  repository: Repository,
  ticket: TicketState,
  { repo, branch }: Standing,
): Promise<Middle | null> {
  const { Joining } = await import("../../git/write/mod.ts");
  const middle = await repository.part(Joining).middle();
  if (middle === null || (middle.branch ?? branch) !== (ticket.repos[repo.name] ?? "")) return null;
  const isOurs = await repository.history
    .isAncestor(middle.other, remoteBase(baseOf(ticket, repo)))
    .catch(() => false);
  return isOurs ? middle : null;
}

/** The active ticket of a workspace where its update waits in a clone. At most one process. */
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
