/** `amof ticket env`: the variables of a ticket with a workspace of its own, in the words of a shell (TICKET-15). */

import { query } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { VARIABLE_FORMS, variableLines } from "../../base/text/shells.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { requireTicketWorkspace } from "../../workspace/tickets/mod.ts";
import { ticketVariables } from "../../workspace/tickets/changing.ts";

interface TicketEnvData {
  readonly ticket_id: string;
  /** Absolute. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

/** `amof ticket env`. */
export const ticketEnv = query({
  name: "amof_ticket_env",
  path: ["ticket", "env"],
  toolset: "ticket",
  scope: "ecosystem",
  mcp: "asked for",
  inTicket: "its workspace",
  bare: "value",
  next: [],
  title: "Ticket variables",
  summary:
    "Show the variables of a ticket with a workspace of its own: its directory, ports, slug.",
  description:
    'Prints lines that a shell reads: eval "$(amof ticket env PROJ-123)". Programs that amof starts in a ticket have them already.',
  positionals: ["ticket_id"],
  examples: [
    "ticket env PROJ-123",
    "ticket env PROJ-123 --shell fish",
    "ticket env PROJ-123 --shell dotenv",
  ],
  fields: ["ticket_id", "directory", "env"],
  input: (z) => ({
    ticket_id: z.string().min(1).optional().describe(
      "The ticket; the one that is meant if absent",
    ),
    shell: z.enum(VARIABLE_FORMS).default("sh").describe("Whose words"),
  }),
  async run(ctx, input): Promise<{ data: TicketEnvData }> {
    const { system, root, ecosystem } = ctx;
    const id = input.ticket_id ?? ctx.ticket;
    if (id === null) {
      throw new AmofError("invalid_arguments", "Cannot tell which ticket is meant", {
        hint: "Name it: amof ticket env ID",
      });
    }
    const manifest = await loadManifest(system, root, ecosystem);
    const found = await requireTicketWorkspace(system, root, manifest, id);
    const { directory, record } = found;
    const env = ticketVariables({ root, ecosystem, directory, record });
    return { data: { ticket_id: id, directory, env } };
  },
  render: (data: TicketEnvData, input) => ({
    summary: `Found ${Object.keys(data.env).length} variables of ${data.ticket_id}.`,
    details: variableLines(data.env, input.shell).join("\n"),
  }),
});
