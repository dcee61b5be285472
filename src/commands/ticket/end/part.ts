/** Ending a ticket in some of its repositories: those that are named, or whose work is merged (TICKET-17). */

import type { CommandContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { fieldsOf } from "../../../base/object.ts";
import { inPoolOf, type TicketState, type WorkspaceState } from "../../../workspace/mod.ts";
import { isSelecting, select } from "../../../workspace/selection/mod.ts";
import { branchAt, worstOf } from "../branch_work.ts";
import { basesOf } from "../cleanup.ts";
import type { EndInput } from "./workspace.ts";
import { directoriesOf, type TicketPlace } from "../preflight.ts";

/** Those of some repositories of a ticket whose work is in a base branch. */
async function mergedAmong(
  ctx: CommandContext,
  place: TicketPlace,
  ticket: TicketState,
  names: readonly string[],
): Promise<string[]> {
  const directories = await directoriesOf(ctx, place);
  const repos = place.manifest.repos.filter(({ name, enabled }) => enabled && names.includes(name));
  const found = await inPoolOf(ctx, "checking", repos, async (repo) => {
    const at = {
      directory: directories(repo.name),
      repo: repo.name,
      name: ticket.repos[repo.name] ?? "",
    };
    if (await ctx.git.at(at.directory).activity() === null) return [];
    const { kept } = await worstOf(ctx, await branchAt(ctx, at, basesOf(repo, ticket)), true);
    return kept === null || kept === "pushed" ? [] : [repo.name as string];
  });
  return found.flat();
}

/** The repositories in which a ticket ends; null for all of it. */
export async function partOf(
  ctx: CommandContext,
  place: TicketPlace,
  ticket: TicketState,
  { repos, tags, only }: EndInput,
): Promise<readonly string[] | null> {
  if (!isSelecting({ repos, tags, only })) return null;
  const { manifest, workspace, state } = place;
  const from = { manifest, workspace: workspace.directory, state };
  // Of the branches of a ticket, which need not be checked out, only a look at each tells.
  const isMerged = only?.join() === "merged";
  const selected = await select(ctx, from, isMerged ? { repos, tags } : { repos, tags, only });
  const names = selected.map(({ name }): string => name)
    .filter((name) => Object.hasOwn(ticket.repos, name));
  const part = isMerged ? await mergedAmong(ctx, place, ticket, names) : names;
  return part.length === Object.keys(ticket.repos).length ? null : part;
}

/** The ticket with some of its repositories. */
export function ticketIn(ticket: TicketState, part: readonly string[] | null): TicketState {
  const repos = Object.entries(ticket.repos).filter(([name]) => part?.includes(name) ?? true);
  return { ...ticket, repos: Object.fromEntries(repos) };
}

/** Throws where a part of a ticket is meant that goes as a whole. */
export function refusePart({ ticket_id: id, repos, tags, only }: EndInput): void {
  if (!isSelecting({ repos, tags, only })) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot end ${cleanLine(id, 60)} in some repositories: its own workspace goes as a whole`,
    { hint: `Look at it: amof status --ticket ${cleanLine(id, 60)}` },
  );
}

/** Branches that the ticket has left in repositories in which it ended before. */
export function leftBefore(ticket: TicketState): Record<string, string> {
  const left = Object.entries(fieldsOf(ticket["left"]));
  return Object.fromEntries(
    left.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** The state in which a ticket goes on in the rest of its repositories, and remembers what it has left in the others. */
export function withPart(
  state: WorkspaceState,
  id: string,
  { whole, rest, left }: {
    readonly whole: TicketState;
    readonly rest: readonly string[];
    readonly left: Readonly<Record<string, string>>;
  },
): WorkspaceState {
  const all = { ...leftBefore(whole), ...left };
  const ticket = {
    ...ticketIn(whole, rest),
    ...(Object.keys(all).length === 0 ? {} : { left: all }),
  };
  return { ...state, tickets: { ...state.tickets, [id]: ticket } };
}
