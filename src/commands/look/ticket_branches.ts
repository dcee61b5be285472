/** The branches of a ticket, for commands that only look. */

import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";
import { endedTickets } from "../../workspace/tickets/mod.ts";
import type { WorkspaceState } from "../../workspace/mod.ts";

/** The branches of a ticket by repository, also of one that has ended and left some; throws `ticket_not_found`. */
export function ticketBranches(
  state: WorkspaceState | null,
  id: string,
): Readonly<Record<string, string>> {
  const ended = state === null ? new Map() : endedTickets(state);
  const open = state?.tickets ?? {};
  const found = Object.hasOwn(open, id) ? open[id] : ended.get(id);
  if (found !== undefined) return found.repos;
  const shown = cleanLine(id, 60);
  const known = [...Object.keys(open), ...ended.keys()];
  const near = didYouMean(id, known);
  throw new AmofError(
    "ticket_not_found",
    `Cannot find ticket "${shown}"${near === null ? "" : `; did you mean "${near}"?`}`,
    {
      hint:
        "See them: amof ticket list\nSee those that have left branches: amof ticket list --ended",
      details: { ticket_id: shown, available: known },
    },
  );
}
