/**
 * What commands see of a ticket that has a workspace of its own: a workspace like any other, with the repositories of the
 * ticket (SCOPE-2).
 */

import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { branchName } from "../../base/ids.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, list } from "../../base/text/words.ts";
import { loadManifest, type Manifest, type Repo } from "../manifest/manifest.ts";
import {
  findTicketWorkspace,
  type TicketRecord,
  type TicketWorkspace,
  ticketWorkspaces,
} from "./record.ts";

/** The workspace of a ticket; throws `ticket_not_found` with those there are, or `state_corrupt`. */
export async function requireTicketWorkspace(
  system: System,
  root: string,
  manifest: Pick<Manifest, "name" | "workspaceDir">,
  id: string,
): Promise<TicketWorkspace> {
  const found = await findTicketWorkspace(system, root, manifest, id);
  if (found !== null) return found;
  const known = (await ticketWorkspaces(system, root, manifest)).map((ticket) => ticket.id);
  const near = didYouMean(id, known);
  const shown = cleanLine(id, 60);
  throw new AmofError(
    "ticket_not_found",
    `Cannot find the workspace of ticket "${shown}" in "${manifest.name}"${
      near === null ? "" : `; did you mean "${near}"?`
    }`,
    {
      hint: known.length === 0
        ? "No ticket has a workspace of its own\nSee all tickets: amof ticket list"
        : `Tickets with a workspace: ${list(known.slice(0, 20))}`,
      details: { ticket_id: shown, available: known },
    },
  );
}

/** The repositories of a manifest as a ticket has them: those it lacks are disabled, and context is read-only. */
function reposOf(manifest: Manifest, record: TicketRecord): readonly Repo[] {
  return manifest.repos.map((repo) => {
    const own = Object.hasOwn(record.repos, repo.name) ? record.repos[repo.name] : undefined;
    return own === undefined ? { ...repo, enabled: false } : {
      ...repo,
      path: own.path,
      branch: branchName(own.base),
      readonly: repo.readonly || own.role === "context",
    };
  });
}

/**
 * The manifest of a call's ecosystem, in a ticket with the ticket's repositories alone. Throws as `loadManifest` and
 * {@linkcode requireTicketWorkspace} do.
 */
export async function scopeManifest(
  ctx: Pick<CommandContext, "system" | "root" | "ecosystem" | "ticket">,
): Promise<Manifest> {
  const { system, root, ecosystem, ticket } = ctx;
  const manifest = await loadManifest(system, root, ecosystem);
  if (ticket === null) return manifest;
  const { record } = await requireTicketWorkspace(system, root, manifest, ticket);
  return { ...manifest, ticket, repos: reposOf(manifest, record) };
}
