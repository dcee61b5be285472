/** Tickets that have ended: remembered in the state of the workspace as long as one of their branches may be there. */

import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import type { TicketState, WorkspaceState } from "../state.ts";

/** The most that are remembered; the oldest go first. */
const MOST = 200;

/** What is remembered of a ticket that has ended. */
export interface EndedTicket extends TicketState {
  /** ISO 8601 in UTC. */
  readonly ended_at: string;
}

function isEnded(value: unknown): value is EndedTicket {
  const { ended_at, repos } = fieldsOf(value);
  return typeof ended_at === "string" && isObject(repos) &&
    Object.values(repos).every((branch) => typeof branch === "string");
}

/** The member of the state as it is, for writing it again without losing what is not understood. */
function remembered(state: WorkspaceState): Fields {
  return fieldsOf(state["ended_tickets"]);
}

/** The tickets that have ended, by id, the last one first; those that have been started again are none. */
export function endedTickets(state: WorkspaceState): ReadonlyMap<string, EndedTicket> {
  const found = Object.entries(remembered(state)).flatMap(([id, ticket]) =>
    isEnded(ticket) && !Object.hasOwn(state.tickets, id) ? [[id, ticket] as const] : []
  );
  return new Map(found.sort(([, a], [, b]) => a.ended_at < b.ended_at ? 1 : -1));
}

/**
 * The state in which a ticket has ended and has these branches left, by repository; with none it is forgotten.
 * Branches of an earlier time under the same name are kept in mind.
 */
export function withEnded(
  state: WorkspaceState,
  id: string,
  { ticket, left, now }: {
    readonly ticket: TicketState;
    readonly left: Readonly<Record<string, string>>;
    readonly now: string;
  },
): WorkspaceState {
  const { [id]: _, ...tickets } = state.tickets;
  const { [id]: before, ...others } = remembered(state);
  const earlier = isEnded(before) && Object.hasOwn(state.tickets, id) ? before.repos : {};
  const repos = {
    ...Object.fromEntries(
      Object.entries(earlier).filter(([name, branch]) => ticket.repos[name] !== branch),
    ),
    ...left,
  };
  const ended = isEnded(ticket) ? ticket : { ...ticket, phase: "ended", ended_at: now };
  const all = Object.keys(repos).length === 0 ? others : { ...others, [id]: { ...ended, repos } };
  const old = Object.entries(all).filter(([, entry]) => isEnded(entry))
    .sort(([, a], [, b]) => (a as EndedTicket).ended_at < (b as EndedTicket).ended_at ? 1 : -1)
    .slice(MOST).map(([name]) => name);
  const { ended_tickets: _before, ...rest } = state;
  const kept = Object.entries(all).filter(([name]) => !old.includes(name));
  return {
    ...rest,
    tickets,
    ...(kept.length === 0 ? {} : { ended_tickets: Object.fromEntries(kept) }),
  };
}
