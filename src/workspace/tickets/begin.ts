/** How work that is on a base branch comes into a ticket. */

import { shellWord } from "../../base/text/words.ts";
import { isOwnState, type WorkspaceState } from "../state.ts";

/** The command that begins a ticket with changes of one repository, which is all that the ticket is about. */
export function newTicketOf(repo: string): string {
  return `amof ticket start TICKET-ID --carry --repo ${repo}`;
}

/**
 * How work on a base branch comes into the active ticket, where that is one of the base workspace and lacks the
 * repository; without an active ticket into a new one, where one may begin.
 */
export function joining(
  { repo, git, unpushed = 0 }: {
    readonly repo: { readonly name: string };
    readonly git?: { readonly head: string | null } | null;
    readonly unpushed?: number;
  },
  state: WorkspaceState | null,
  { begins = true, perTicket = false }: {
    readonly begins?: boolean;
    /** Whether new tickets get workspaces of their own, into which commits do not go along. */
    readonly perTicket?: boolean;
  } = {},
): readonly string[] {
  // Without a commit there is nothing to begin a branch at.
  if (git?.head === null || state !== null && isOwnState(state)) return [];
  const id = state?.active_ticket ?? null;
  if (state === null || id === null) {
    const place = perTicket && unpushed > 0 ? " --in-place" : "";
    return begins ? [`begin a ticket with it: ${newTicketOf(repo.name)}${place}`] : [];
  }
  return Object.hasOwn(state.tickets[id]?.repos ?? {}, repo.name)
    ? []
    : [`take it into ${id}: amof ticket add ${shellWord(id)} --repo ${repo.name}`];
}
