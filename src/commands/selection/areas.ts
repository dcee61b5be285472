/**
 * The workspaces of an ecosystem: the base workspace and those of its tickets, for what works in all of them (SCOPE-5).
 */

import { BASE } from "../../contract/input.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { Door } from "../../base/policy/mode.ts";
import { loadManifest, type Manifest } from "../../workspace/manifest/mod.ts";
import { meansCurrent, namingCurrent } from "./words.ts";
import { scopeManifest, ticketWorkspaces } from "../../workspace/tickets/mod.ts";
import { requireWorkspace, type Workspace } from "../../workspace/mod.ts";

/** Whose workspace something is in: a ticket's, or null for the base one; absent where only one is looked at. */
export interface OfTicket {
  readonly ticket?: string | null;
}

/** What tells a repository apart from those of the same name in other workspaces: `PROJ-1/api`, `main/api`. */
export function labelOf({ ticket }: OfTicket, name: string): string {
  return ticket === undefined ? name : `${ticket ?? BASE}/${name}`;
}

/** One workspace. */
export interface Area {
  /** The ticket whose own workspace it is; null for the base one. */
  readonly ticket: string | null;
  /** How answers name it: not at all where it is the only one. */
  readonly of: OfTicket;
  /** With the repositories that are there. */
  readonly manifest: Manifest;
  readonly workspace: Workspace;
}

/** A ticket whose workspace cannot be used. */
export interface Unreadable {
  readonly ticket_id: string;
  /** The end of a sentence about its record. */
  readonly reason: string;
}

/** Every workspace, the base one first, and what is no use. */
export interface Areas {
  readonly areas: readonly Area[];
  readonly unreadable: readonly Unreadable[];
}

type Looking = Pick<CommandContext, "system" | "git" | "root" | "ecosystem" | "ticket">;

/** The workspace that a call works in. Costs what `requireWorkspace` costs, while the manifest is read. */
export async function currentArea(at: Looking): Promise<Area> {
  const manifest = await scopeManifest(at);
  const workspace = await requireWorkspace(at, at.root, manifest);
  return { ticket: at.ticket, of: {}, manifest, workspace };
}

/** The base workspace; null where it is not installed. */
async function baseArea(at: Looking): Promise<Area | null> {
  try {
    return { ...await currentArea({ ...at, ticket: null }), of: { ticket: null } };
  } catch (error) {
    if (error instanceof AmofError && error.code === "workspace_not_installed") return null;
    throw error;
  }
}

/** The tickets that have workspaces which can be used, by the directories alone. No process. */
export async function usableTickets(
  { system, root, ecosystem }: Pick<Looking, "system" | "root" | "ecosystem">,
): Promise<{ readonly ids: readonly string[]; readonly unreadable: readonly Unreadable[] }> {
  const manifest = await loadManifest(system, root, ecosystem);
  const listed = await ticketWorkspaces(system, root, manifest);
  return {
    ids: listed.flatMap(({ id, record }) => record === null ? [] : [id]),
    unreadable: listed.flatMap(({ id, problem }) =>
      problem === null ? [] : [{ ticket_id: id, reason: problem }]
    ),
  };
}

/**
 * What a look at the workspace of a ticket answers; null where the ticket has ended meanwhile, whatever the look met. The
 * base workspace, `null`, does not go.
 */
export async function unlessGone<T>(
  at: Pick<Looking, "system" | "root" | "ecosystem">,
  ticket: string | null,
  look: () => Promise<T>,
): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (ticket === null) throw error;
    const { ids, unreadable } = await usableTickets(at);
    if (ids.includes(ticket) || unreadable.some(({ ticket_id: id }) => id === ticket)) throw error;
    return null;
  }
}

/** The workspaces of all tickets and the base one where it is installed. Throws where there is none at all. */
export async function allAreas(at: Looking): Promise<Areas> {
  const { ids, unreadable } = await usableTickets(at);
  const own = ids.map((ticket) =>
    unlessGone(at, ticket, async (): Promise<Area> => ({
      ...await currentArea({ ...at, ticket }),
      of: { ticket },
    }))
  );
  const [base, ...tickets] = await Promise.all([baseArea(at), ...own]);
  const areas = [base ?? null, ...tickets].filter((area) => area !== null);
  // Without any, the error of the base workspace says what to do.
  if (areas.length === 0) await currentArea({ ...at, ticket: null });
  return { areas, unreadable };
}

/** Texts with the name of the repository one stands in, in whichever workspace that is, in place of `.`. */
export async function namedInAny(
  at: Pick<CommandContext, "system"> & { readonly door: Door },
  areas: readonly Area[],
  texts: readonly string[],
): Promise<readonly string[]> {
  if (!texts.some(meansCurrent)) return texts;
  let refused: unknown;
  for (const { manifest, workspace } of areas) {
    try {
      return await namingCurrent(at, { manifest, workspace: workspace.directory }, texts);
    } catch (error) {
      refused ??= error;
    }
  }
  throw refused;
}
