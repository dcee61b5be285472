/** What a ticket is: an identifier with one feature branch in each of its repositories (TICKET-1). */

import { isBranchName, isTicketId, NO_TICKET, SLUG } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { endedTickets } from "../../workspace/tickets/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import type { WorkspaceState } from "../../workspace/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, list, meantText } from "../../base/text/words.ts";

/** What is said of an unknown ticket to who does not want to begin one. */
export const SEE_TICKETS = "See the tickets: amof ticket list";

/** The feature branch of a ticket; throws `invalid_arguments` when the id cannot be one. */
export function branchOf(manifest: Manifest, id: string): string {
  const branch = `${manifest.featurePrefix}/${id}`;
  if (isTicketId(id) && isBranchName(branch)) return branch;
  const shown = cleanLine(id, 60);
  const [why, hint] = id === NO_TICKET
    ? ["it stands for the base branches", "Choose another id, such as PROJ-123"]
    : SLUG.test(id)
    ? [`git takes no branch "${cleanLine(branch, 60)}"`, "Choose another id, such as PROJ-123"]
    : [
      "that is not an id",
      'Use at most 64 letters, digits, ".", "_" and "-", beginning with a letter or digit, such as PROJ-123',
    ];
  throw new AmofError("invalid_arguments", `Cannot use "${shown}" as a ticket: ${why}`, {
    hint,
    details: { ticket_id: shown },
  });
}

/**
 * Throws `ticket_not_found` with the known ones unless the workspace has the ticket; `others` are those with workspaces
 * of their own.
 */
export function requireTicket(
  state: WorkspaceState,
  id: string,
  others: readonly string[] = [],
  /** What is said where there is no ticket at all. */
  none = `Start it: amof ticket start ${isTicketId(id) ? id : "ID"}`,
): void {
  if (Object.hasOwn(state.tickets, id)) return;
  const known = [...new Set([...Object.keys(state.tickets), ...others])];
  if (endedTickets(state).has(id)) {
    throw new AmofError("ticket_not_found", `Cannot go to "${id}": it has ended`, {
      hint: `Take it up again: amof ticket start ${id}`,
      details: { ticket_id: id, available: known },
    });
  }
  throw new AmofError(
    "ticket_not_found",
    `Cannot find ticket "${cleanLine(id, 60)}"${meantText(didYouMean(id, known))}`,
    {
      hint: known.length === 0 ? none : `Known: ${list(known.slice(0, 20))}`,
      details: { ticket_id: cleanLine(id, 60), available: known },
    },
  );
}
