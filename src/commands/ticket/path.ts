/** `amof ticket path`: the directory of a ticket, for scripts and for going there (TICKET-13). */

import { query } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { freshState } from "../../workspace/mod.ts";
import { ticketWorkspaces } from "../../workspace/tickets/mod.ts";
import { basePlace } from "./workspace/plan.ts";
import { findOwn } from "./preflight.ts";
import { requireTicket } from "./id.ts";

interface TicketPathData {
  readonly ticket_id: string;
  /** Absolute. */
  readonly directory: string;
  /** Whether it is a workspace of its own. */
  readonly own: boolean;
}

/** `amof ticket path`. */
export const ticketPath = query({
  name: "amof_ticket_path",
  path: ["ticket", "path"],
  toolset: "ticket",
  scope: "ecosystem",
  mcp: "never",
  bare: "value",
  next: [],
  title: "Ticket path",
  summary: "Show the directory of a ticket, for scripts.",
  description:
    'Prints the directory and nothing else: cd "$(amof ticket path PROJ-123)". A ticket without a workspace of its own is worked on in the base workspace, as long as it is the active one.',
  positionals: ["ticket_id"],
  examples: ["ticket path PROJ-123", "ticket path PROJ-123 --json"],
  fields: ["ticket_id", "directory", "own"],
  input: (z) => ({
    ticket_id: z.string().min(1).describe("The ticket, such as PROJ-123"),
  }),
  async run(ctx, { ticket_id: id }): Promise<{ data: TicketPathData }> {
    const base = await basePlace(ctx);
    const found = await findOwn(ctx, id);
    if (found !== null) {
      return { data: { ticket_id: id, directory: found.directory, own: true } };
    }
    if (base.state !== null && base.directory !== null && base.state.active_ticket === id) {
      return { data: { ticket_id: id, directory: base.directory, own: false } };
    }
    const others = await ticketWorkspaces(ctx.system, ctx.root, base.manifest);
    const state = base.state ?? freshState(ctx.system, base.manifest.name, "");
    requireTicket(state, id, others.map((other) => other.id));
    throw new AmofError(
      "ticket_not_found",
      `Cannot show the way to "${id}": it has no workspace of its own, and is not the active ticket`,
      { hint: `Go to it: amof ticket switch ${id}`, details: { ticket_id: id } },
    );
  },
  render: (data: TicketPathData) => ({
    summary: `Found ${data.ticket_id}.`,
    details: data.directory,
  }),
});
