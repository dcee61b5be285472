/**
 * Tickets as rows: where each is worked on, how its repositories stand, its ports, and who works there.
 *
 * @module
 */

import type { ListedTicket } from "../../../commands/ticket/list/view.ts";
import { type Html, State, Time } from "./parts.tsx";

/** How a repository of a ticket stands: only what is worth a look, as `web (dirty)`. */
function standing({ repos, states }: ListedTicket): readonly Html[] {
  return Object.keys(repos).map((name) => {
    const state = states?.[name] ?? "ok";
    return (
      <>
        <span class="mono">{name}</span>{" "}
        {["ok", "there"].includes(state) ? null : <State word={state} />}
        {" "}
      </>
    );
  });
}

/** "20000–20019"; nothing for a ticket of the base workspace. */
function portsOf({ ports }: ListedTicket): string {
  return ports === undefined ? "" : `${ports.port_base}–${ports.port_base + ports.port_count - 1}`;
}

/** The rows as a table. */
export function TicketTable({ tickets }: { readonly tickets: readonly ListedTicket[] }): Html {
  return (
    <table class="tickets">
      <caption class="unseen">Tickets that are worked on</caption>
      <thead>
        <tr>
          <th scope="col">Ticket</th>
          <th scope="col">Repositories</th>
          <th scope="col" class="wide">Workspace</th>
          <th scope="col" class="wide">Ports</th>
          <th scope="col">At work</th>
        </tr>
      </thead>
      <tbody>
        {tickets.map((ticket) => (
          <tr id={`ticket-${ticket.ticket_id}`} tabindex={-1}>
            <th scope="row" class="mono">{ticket.ticket_id}</th>
            <td>
              {ticket.problem === null ? standing(ticket) : <State word="unreadable" tone="bad" />}
            </td>
            <td class="mono wide">
              {ticket.workspace ?? (ticket.active ? "base, active" : "base")}
            </td>
            <td class="mono wide">{portsOf(ticket)}</td>
            <td>
              {ticket.agent === undefined ? null : (
                <>
                  <a class="mono" href={`/runs/${ticket.agent.run_id}`}>
                    {ticket.agent.run_id.slice(0, 8)}
                  </a>{" "}
                  since <Time iso={ticket.agent.since} />
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
