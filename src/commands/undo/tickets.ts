/**
 * What the state of a workspace says of tickets, as undoing brings it back (UNDO-4): everything but what pushes left
 * there and when the file was written.
 */

import type { System } from "../../base/system/mod.ts";
import { loadState, saveState } from "../../workspace/mod.ts";
import type { TicketsView } from "./record.ts";

/** The tickets of a workspace; null where it has no state. */
export async function ticketsIn(system: System, workspace: string): Promise<TicketsView | null> {
  const state = await loadState(system, workspace);
  if (state === null) return null;
  const { repos: _repos, last_modified: _modified, ...tickets } = state;
  return tickets;
}

/** Whether two views of tickets are the same. */
export function sameTickets(a: TicketsView | null, b: TicketsView | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Writes the tickets of a workspace; what else its state says stays. */
export async function writeTickets(
  system: System,
  workspace: string,
  tickets: TicketsView,
): Promise<void> {
  const state = await loadState(system, workspace);
  if (state === null) return;
  const { repos, last_modified } = state;
  await saveState(system, workspace, { ...tickets, repos, last_modified } as typeof state);
}
