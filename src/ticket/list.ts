/**
 * `amof ticket list`: the tickets of a workspace with their branches (amof.md §2.8).
 *
 * @module
 */

import { query } from "../spec/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count } from "../text/words.ts";
import { lookAt, ticketPlace } from "./preflight.ts";

interface ListedTicket {
  readonly [field: string]: unknown;
  readonly ticket_id: string;
  readonly active: boolean;
  /** Repository to branch. */
  readonly repos: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly phase: string;
  /** For the active ticket: repository to `ok`, `dirty`, `missing` or `elsewhere`. */
  readonly states: Readonly<Record<string, string>> | null;
}

interface ListData {
  readonly [field: string]: unknown;
  readonly tickets: readonly ListedTicket[];
  readonly active_ticket: string | null;
}

/** `amof ticket list`. */
export const listTickets = query({
  name: "amof_ticket_list",
  path: ["ticket", "list"],
  toolset: "ticket",
  scope: "ecosystem",
  title: "List tickets",
  summary: "List the tickets of the workspace with their branches; the active one with its state.",
  examples: ["ticket list", "ticket list --json"],
  pages: { member: "tickets", key: "ticket_id" },
  input: (z) => z.strictObject({}),
  async run(ctx) {
    const place = await ticketPlace(ctx);
    const { state, manifest } = place;
    const active = state.active_ticket;
    const tracked = active === null ? {} : state.tickets[active]?.repos ?? {};
    const repos = manifest.repos.filter((repo) =>
      repo.enabled && Object.hasOwn(tracked, repo.name)
    );
    const states: Record<string, string> = {};
    for (const snapshot of await lookAt(ctx, place, repos)) {
      states[snapshot.repo.name] = snapshot.git === null
        ? "missing"
        : snapshot.git.branch !== tracked[snapshot.repo.name]
        ? "elsewhere"
        : snapshot.git.changes.length > 0
        ? "dirty"
        : "ok";
    }
    const tickets = Object.entries(state.tickets)
      .filter(([, ticket]) => (ticket.ecosystem ?? state.ecosystem) === manifest.name)
      .map(([id, ticket]): ListedTicket => ({
        ticket_id: id,
        active: id === active,
        repos: ticket.repos,
        created_at: ticket.created_at,
        phase: typeof ticket["phase"] === "string" ? ticket["phase"] : "started",
        states: id === active ? states : null,
      }));
    return { data: { tickets, active_ticket: active } };
  },
  render: (data: ListData) => ({
    summary: data.tickets.length === 0
      ? "Found no tickets."
      : `Found ${count(data.tickets.length, "ticket")}, ${data.active_ticket ?? "none"} active.`,
    details: data.tickets.length === 0 ? "Start one with: amof ticket start ID" : table(
      ["ticket", "active", "phase", "repos"],
      data.tickets.map((ticket) => [
        ticket.ticket_id,
        ticket.active ? "✓" : "",
        cleanLine(ticket.phase, 30),
        Object.entries(ticket.repos).map(([repo, branch]) => {
          const how = ticket.states?.[repo];
          return `${repo}:${cleanLine(branch, 60)}${
            how === undefined || how === "ok" ? "" : ` (${how})`
          }`;
        }).join(", "),
      ]),
    ),
  }),
});
