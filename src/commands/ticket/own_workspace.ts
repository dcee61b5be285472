/** Tickets that have a workspace of their own, as the commands see them that change or end it from outside. */

import { isTicketId } from "../../base/ids.ts";
import type { CommandContext } from "../../contract/mod.ts";
import {
  findTicketWorkspace,
  scopeManifest,
  type TicketRecord,
  ticketWorkspaces,
} from "../../workspace/tickets/mod.ts";
import { freshState, loadState, type TicketState } from "../../workspace/mod.ts";
import { loadManifest, type Manifest } from "../../workspace/manifest/mod.ts";
import { join } from "@std/path";
import type { TicketPlace } from "./preflight.ts";

/** The workspace of a ticket: its record and where it is. */
export type OwnWorkspace = NonNullable<Awaited<ReturnType<typeof findTicketWorkspace>>>;

/** The workspace of a ticket; null for one that has none. Throws `state_corrupt` where its record cannot be used. */
export async function findOwn(
  { system, root, ecosystem }: Pick<CommandContext, "system" | "root" | "ecosystem">,
  id: string,
): Promise<OwnWorkspace | null> {
  if (!isTicketId(id)) return null;
  return await findTicketWorkspace(system, root, await loadManifest(system, root, ecosystem), id);
}

/** A ticket with a workspace as the state of a workspace has tickets. */
function ticketOf({ created_at, ecosystem, repos }: TicketRecord): TicketState {
  const entries = Object.entries(repos);
  const work = entries.filter(([, { role }]) => role === "work");
  return {
    created_at,
    ecosystem,
    repos: Object.fromEntries(work.map(([name, { branch }]) => [name, branch])),
    repo_selections: entries.map(([repo, { base }]) => ({ repo, source_branch: base })),
  };
}

/** The branches of all other tickets of the ecosystem, wherever they are worked on, by ticket. */
async function othersOf(
  { system, root }: CommandContext,
  manifest: Manifest,
  id: string,
): Promise<Record<string, TicketState>> {
  const base = await loadState(system, join(root, manifest.workspaceDir)).catch(() => null);
  const beside = (await ticketWorkspaces(system, root, manifest))
    .flatMap(({ id, record }) => record === null ? [] : [[id, ticketOf(record)] as const]);
  const { [id]: _, ...others } = { ...base?.tickets, ...Object.fromEntries(beside) };
  return others;
}

/**
 * A ticket with a workspace as a place where one ticket is worked on, for what is asked of tickets and of their branches:
 * what other tickets work on counts, too.
 */
export async function ownPlace(
  ctx: CommandContext,
  manifest: Manifest,
  { directory, record }: OwnWorkspace,
): Promise<{ readonly place: TicketPlace; readonly ticket: TicketState }> {
  const id = record.ticket_id;
  const ticket = ticketOf(record);
  const state = {
    ...freshState(ctx.system, record.ecosystem, ""),
    active_ticket: id,
    tickets: { ...await othersOf(ctx, manifest, id), [id]: ticket },
  };
  return {
    ticket,
    place: {
      manifest: await scopeManifest({ ...ctx, ticket: id }),
      workspace: { directory, branch: null, state },
      state,
    },
  };
}
