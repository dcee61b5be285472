/**
 * What programs that work in the workspace of a ticket are told of it, as variables of their environment (TICKET-15).
 */

import { sha256 } from "../../base/hash.ts";
import type { TicketRecord } from "./record.ts";

/** The longest name that databases take everywhere. */
const LONGEST = 63;

/** What every other name is told apart from: what stays itself when it is written in small letters. */
const PLAIN = { ecosystem: /^[a-z0-9]+(?:-[a-z0-9]+)*$/, ticket: /^[A-Z0-9]+(?:-[A-Z0-9]+)*$/ };

/**
 * A name for what a ticket has of its own, such as a database or a compose project: small letters, digits and `_`,
 * another one for every ticket of every ecosystem.
 *
 * @example
 * ```ts
 * import { assertEquals, assertMatch } from "@std/assert";
 * import { ticketSlug } from "./variables.ts";
 *
 * assertEquals(ticketSlug("shop", "PROJ-123"), "shop__proj_123");
 * assertMatch(ticketSlug("shop", "proj.123"), /^shop__proj_123_[0-9a-f]{8}$/);
 * ```
 */
export function ticketSlug(ecosystem: string, ticket: string): string {
  const words = (text: string) =>
    text.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  const slug = `${words(ecosystem)}__${words(ticket)}`;
  const isPlain = PLAIN.ecosystem.test(ecosystem) && PLAIN.ticket.test(ticket);
  if (isPlain && slug.length <= LONGEST) return slug;
  const mark = sha256(`${ecosystem}\0${ticket}`).slice(0, 8);
  return `${slug.slice(0, LONGEST - mark.length - 1)}_${mark}`;
}

/** The variables of a ticket, by name. */
export function ticketVariables({ root, ecosystem, directory, record }: {
  /** The control repository, absolute. */
  readonly root: string;
  readonly ecosystem: string;
  /** The directory of the ticket, absolute. */
  readonly directory: string;
  readonly record: Pick<TicketRecord, "ticket_id" | "env">;
}): Record<string, string> {
  return {
    AMOF_ECOSYSTEM: ecosystem,
    AMOF_PORT_BASE: String(record.env.port_base),
    AMOF_PORT_COUNT: String(record.env.port_count),
    AMOF_ROOT: root,
    AMOF_SLUG: ticketSlug(ecosystem, record.ticket_id),
    AMOF_TICKET: record.ticket_id,
    AMOF_TICKET_DIR: directory,
  };
}
