/** What a session that is bound to a ticket may call, and what it sees of the runs (SCOPE-4). */

import { AmofError } from "../base/error.ts";
import { isForTicket, type Known, type StoreReader } from "../contract/mod.ts";
import type { Bound } from "../contract/place.ts";
import type { RunRecord } from "../state/store/mod.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import type { NamedTicket } from "./common.ts";

function outside(command: Known, { ecosystem, ticket }: Bound, what: string): AmofError {
  return new AmofError(
    "ticket_scope",
    `Cannot call ${command.name} ${what}: this server is bound to ticket ${ticket} of "${ecosystem}"`,
    {
      hint: "Leave out ecosystem and ticket\nFor more a person starts a server without --ticket",
      details: { ecosystem, ticket_id: ticket },
    },
  );
}

/** Throws `ticket_scope` for a call that is about anything but the ticket that its session is bound to. */
export function requireWithin(
  bound: Bound | null,
  command: Known,
  { ecosystem, ticket }: {
    readonly ecosystem: string | undefined;
    readonly ticket: NamedTicket | null;
  },
): void {
  if (bound === null) return;
  if (!isForTicket(command)) throw outside(command, bound, "here");
  if (ecosystem !== undefined && ecosystem !== bound.ecosystem) {
    throw outside(command, bound, `for ecosystem "${cleanLine(ecosystem, 60)}"`);
  }
  if (ticket !== null && ticket.id !== bound.ticket) {
    const asked = ticket.all ? "all tickets" : `ticket "${cleanLine(ticket.id, 60)}"`;
    throw outside(command, bound, `for ${asked}`);
  }
}

/** The store as such a session sees it: of the runs those of its ticket. */
export function boundReader(
  reader: StoreReader,
  root: string,
  { ecosystem, ticket }: Bound,
): StoreReader {
  const { runs } = reader;
  const isOwn = (run: RunRecord) =>
    run.root === root && run.ecosystem === ecosystem && run.ticket === ticket;
  return {
    ...reader,
    events: reader.events,
    audit: reader.audit,
    approvals: reader.approvals,
    trust: reader.trust,
    environments: reader.environments,
    runs: {
      get: (id) => {
        const run = runs.get(id);
        return run !== null && isOwn(run) ? run : null;
      },
      byPrefix: (prefix) => runs.byPrefix(prefix).filter(isOwn),
      list: (filter) => runs.list({ ...filter, root, ecosystem, ticket }),
      holders: (locks) => runs.holders(locks).filter(isOwn),
      activeCounts: () => new Map(),
      typicalSeconds: (...of) => runs.typicalSeconds(...of),
      totals: () => runs.totals(root, 0),
      prunable: () => ({ prunable: 0, total: 0 }),
    },
  };
}
