/** Which ticket's own workspace a call means (SCOPE-3). */

import { AmofError } from "../base/error.ts";
import type { Command, Reporter } from "../contract/mod.ts";
import type { SessionView } from "../contract/place.ts";
import { isBelow } from "../base/paths.ts";
import type { Door } from "../base/policy/mode.ts";
import { BASE } from "../contract/input.ts";
import { findTicketWorkspace, requireTicketWorkspace } from "../workspace/tickets/mod.ts";
import { workspaceFor } from "../commands/advice/command_lines.ts";
import { loadManifest, type Manifest } from "../workspace/manifest/mod.ts";
import { loadState } from "../workspace/mod.ts";
import { ticketAtDirectory } from "../commands/ecosystem/discover.ts";
import type { System } from "../base/system/mod.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { join } from "@std/path";
import type { App } from "./app.ts";
import type { NamedTicket } from "./common.ts";

/** How a ticket is worked on in the base workspace; null where it is not. */
async function inBase(
  system: System,
  root: string,
  { workspaceDir }: Manifest,
  id: string,
): Promise<{ readonly isActive: boolean } | null> {
  const state = await loadState(system, join(root, workspaceDir)).catch(() => null);
  return state !== null && Object.hasOwn(state.tickets, id)
    ? { isActive: state.active_ticket === id }
    : null;
}

/** The error of a ticket without a workspace of its own. */
function inPlace(id: string, { isActive }: { readonly isActive: boolean }): AmofError {
  return new AmofError(
    "ticket_not_found",
    `Ticket "${id}" has no workspace of its own: it is worked on in the base workspace`,
    {
      hint: `${
        isActive
          ? `Its branches are checked out there: the same command without --ticket ${id}`
          : `Go to its branches there: amof ticket switch ${id}\nThen leave out --ticket`
      }\n${workspaceFor(id)}`,
      details: { ticket_id: id },
    },
  );
}

/** The ticket that was named; throws unless it has a workspace, but for an argument that may mean another kind of it. */
async function fromName(
  system: System,
  root: string,
  ecosystem: string,
  { id, own }: NamedTicket,
): Promise<string | null> {
  if (id === BASE) return null;
  const manifest = await loadManifest(system, root, ecosystem);
  if (own) {
    const found = await findTicketWorkspace(system, root, manifest, id).catch(() => null);
    return found === null ? null : id;
  }
  const found = await findTicketWorkspace(system, root, manifest, id);
  const base = found === null ? await inBase(system, root, manifest, id) : null;
  if (base !== null) throw inPlace(id, base);
  await requireTicketWorkspace(system, root, manifest, id);
  return id;
}

/**
 * The ticket that the environment names: that of a process which was started in a ticket. What it says of another
 * ecosystem, or of a ticket in the base workspace, leads to the base workspace.
 */
async function fromEnvironment(
  system: System,
  root: string,
  ecosystem: string,
  warn: (message: string) => void = () => {},
): Promise<string | null> {
  const id = system.env.get("AMOF_TICKET") ?? "";
  const of = system.env.get("AMOF_ECOSYSTEM") ?? "";
  if (id === "" || id === BASE || (of !== "" && of !== ecosystem)) return null;
  const manifest = await loadManifest(system, root, ecosystem);
  if (await inBase(system, root, manifest, id) !== null) {
    const own = await findTicketWorkspace(system, root, manifest, id).catch(() => null);
    if (own === null) return null;
  }
  try {
    await requireTicketWorkspace(system, root, manifest, id);
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    throw new AmofError(error.code, `${error.message} (from AMOF_TICKET)`, {
      hint: "Unset AMOF_TICKET, or name what is meant: --ticket ID, or --ticket main for the base",
      details: { ...error.details, source: "AMOF_TICKET", ticket_id: cleanLine(id, 60) },
    });
  }
  const { cwd } = system.env;
  const base = join(root, manifest.workspaceDir);
  const standing = await system.files.realPath(cwd) ?? cwd;
  if (standing === base || isBelow(base, standing)) {
    warn(
      `AMOF_TICKET is set to ${id}, so this is about the workspace of ${id}, not about the base workspace, where you are: unset AMOF_TICKET, or add --ticket ${BASE}`,
    );
  }
  return id;
}

/**
 * The ticket in whose workspace a call works; null for the base workspace. What it names counts first; then for a command
 * line the ticket around the working directory and `AMOF_TICKET`, for others the place of the session. Throws
 * `ticket_not_found`.
 */
export async function ticketOf(
  app: App,
  { door, session, report }: {
    readonly door: Door;
    readonly session: SessionView;
    readonly report: Pick<Reporter, "log">;
  },
  command: Command,
  { root, ecosystem, named }: {
    readonly root: string;
    readonly ecosystem: string;
    readonly named: NamedTicket | null;
  },
): Promise<string | null> {
  if (command.inTicket !== "its workspace" || root === "" || ecosystem === "") return null;
  const { system } = app;
  const stands = session.place.ecosystem === ecosystem ? session.place.ticket : null;
  const meant = named ?? (stands === null ? null : { id: stands, own: false });
  if (meant !== null) return await fromName(system, root, ecosystem, meant);
  if (door !== "cli") return null;
  return await ticketAtDirectory(system, root, ecosystem) ??
    await fromEnvironment(system, root, ecosystem, (message) => report.log("warn", message));
}

/**
 * The ticket that a server is bound to: the one that is named, else that of `AMOF_TICKET`; null for neither, and for the
 * base workspace. Throws `ticket_not_found`.
 */
export async function ticketToBind(
  system: System,
  root: string,
  ecosystem: string,
  named: string | null,
): Promise<string | null> {
  return named === null
    ? await fromEnvironment(system, root, ecosystem)
    : await fromName(system, root, ecosystem, { id: named, own: false });
}
