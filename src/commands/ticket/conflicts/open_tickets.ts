/** The open tickets of an ecosystem, wherever they are worked on, as sides of merges (TICKET-10, TRY-1). */

import type { CommandContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { didYouMean, meantText } from "../../../base/text/words.ts";
import { type ListedTicketWorkspace, ticketWorkspaces } from "../../../workspace/tickets/mod.ts";
import type { Manifest } from "../../../workspace/manifest/mod.ts";
import { repoDirectory, type TicketState, type WorkspaceState } from "../../../workspace/mod.ts";

/** An open ticket. */
export interface OpenTicket {
  readonly id: string;
  readonly ticket: TicketState;
  readonly active: boolean;
  /** Where its own clone of a repository is, for a ticket that has a workspace; null for one in the base workspace. */
  readonly clones: Readonly<Record<string, string>> | null;
}

/** A ticket that has a workspace of its own, with where its clones are; context is nobody's work. */
async function inWorkspaceOfItsOwn(
  ctx: CommandContext,
  { id, directory, record }: ListedTicketWorkspace,
): Promise<OpenTicket[]> {
  if (record === null) return [];
  const work = Object.entries(record.repos).filter(([, { role }]) => role === "work");
  const places = await Promise.all(
    work.map(async ([name, { path }]) =>
      [name, await repoDirectory(ctx.system, directory, { name, path })] as const
    ),
  );
  const ticket: TicketState = {
    created_at: record.created_at,
    ecosystem: record.ecosystem,
    repos: Object.fromEntries(work.map(([name, { branch }]) => [name, branch])),
    repo_selections: work.map(([repo, { base }]) => ({ repo, source_branch: base })),
  };
  return [{ id, ticket, active: false, clones: Object.fromEntries(places) }];
}

/** The open tickets that are asked for, all where none is named; throws `ticket_not_found`. */
function candidatesOf(
  state: WorkspaceState | null,
  own: readonly OpenTicket[],
  ecosystem: string,
  ids: readonly string[] | undefined,
): OpenTicket[] {
  const isOurs = (ticket: TicketState) => (ticket.ecosystem ?? state?.ecosystem) === ecosystem;
  const open: OpenTicket[] = [
    ...Object.entries(state?.tickets ?? {})
      .filter(([id, ticket]) => isOurs(ticket) && !own.some((other) => other.id === id))
      .map(([id, ticket]) => ({ id, ticket, active: id === state?.active_ticket, clones: null })),
    ...own,
  ];
  const known = open.map(({ id }) => id);
  const unknown = ids?.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw new AmofError(
      "ticket_not_found",
      `Cannot find the open ticket "${unknown}"${meantText(didYouMean(unknown, known))}`,
      { hint: "See them: amof ticket list", details: { ticket_id: unknown, available: known } },
    );
  }
  return open.filter(({ id }) => ids === undefined || ids.length === 0 || ids.includes(id));
}

/** The open tickets that are asked for, and those whose record cannot be used. No process. */
export async function openTickets(
  ctx: CommandContext,
  manifest: Manifest,
  state: WorkspaceState | null,
  ids: readonly string[] | undefined,
): Promise<{
  readonly candidates: readonly OpenTicket[];
  readonly unreadable: readonly { readonly ticket_id: string; readonly reason: string }[];
}> {
  const listed = await ticketWorkspaces(ctx.system, ctx.root, manifest);
  const own = (await Promise.all(listed.map((each) => inWorkspaceOfItsOwn(ctx, each)))).flat();
  return {
    candidates: candidatesOf(state, own, manifest.name, ids),
    unreadable: listed.flatMap(({ id, problem }) =>
      problem === null ? [] : [{ ticket_id: id, reason: problem }]
    ),
  };
}
