/**
 * What a ticket has of its own on this machine besides its files (TICKET-15). That is a range of ports, freed when it
 * goes, and variables that tell programs in its workspace about the ticket.
 */

import { join } from "@std/path";
import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { variableLines } from "../../base/text/shells.ts";
import { PORT_COUNT, type PortHolding } from "../../state/store/mod.ts";
import { operation } from "../../runs/steps/mod.ts";
import { sha256 } from "../../base/hash.ts";
import { saveRecord, type TicketDraft, type TicketRecord } from "./record.ts";

/** The longest name that databases take everywhere. */
const LONGEST = 63;

/** What every other name is told apart from: what stays itself when it is written in small letters. */
const PLAIN = { ecosystem: /^[a-z0-9]+(?:-[a-z0-9]+)*$/, ticket: /^[A-Z0-9]+(?:-[A-Z0-9]+)*$/ };

/**
 * A name for what a ticket has of its own, such as a database or a compose project. It has small letters,
 * digits and `_`, and is another one for every ticket of every ecosystem.
 *
 * @example
 * ```ts
 * import { assertEquals, assertMatch } from "@std/assert";
 * import { ticketSlug } from "./ports.ts";
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

/**
 * Frees the ports of the ticket in a directory, lets go of the mirrors its clones borrow from, and forgets their seals.
 */
export async function releaseTicket(
  ctx: Pick<ExecuteContext, "records" | "seals">,
  directory: string,
): Promise<void> {
  ctx.records.ports.free(directory);
  ctx.records.borrowers.remove(directory);
  await ctx.seals.forget(directory);
}

/** Lets go of everything that a ticket holds whose directory goes; nobody needs it from then on. */
export const freeTicket = operation<{ readonly directory: string; readonly ticket: string }>({
  name: "free_ticket",
  touches: () => [],
  describe: ({ ticket }) => `Free what ${ticket} held`,
  async act(ctx, { directory }) {
    await releaseTicket(ctx, directory);
  },
});

/** Takes a range; where none is free, those of directories that are gone are freed first. Answers its first port. */
export async function reservePorts(ctx: ExecuteContext, holding: PortHolding): Promise<number> {
  const base = ctx.records.ports.take(holding);
  if (base !== null) return base;
  for (const { directory } of (await ctx.store()).ports.list()) {
    if (await ctx.system.files.lstat(directory) === null) ctx.records.ports.free(directory);
  }
  const freed = ctx.records.ports.take(holding);
  if (freed !== null) return freed;
  throw new AmofError(
    "workspace_exists",
    `Cannot give "${holding.ticket}" ports: other tickets of this machine hold all ports`,
    { hint: "End those that are done: amof ticket list", details: { ticket_id: holding.ticket } },
  );
}

/** Writes what a ticket is, and its variables, into what lies at `place` and belongs to `directory`: with the ports that it has now. */
export async function writeTicket(
  ctx: ExecuteContext,
  { place, directory }: { readonly place: string; readonly directory: string },
  known: TicketDraft,
): Promise<void> {
  const { root, ecosystem } = ctx;
  const base = await reservePorts(ctx, { directory, root, ecosystem, ticket: known.ticket_id });
  const record = { ...known, env: { port_base: base, port_count: PORT_COUNT } };
  const variables = ticketVariables({ root, ecosystem, directory, record });
  await saveRecord(ctx.system, place, record);
  await ctx.system.files.write(
    join(place, ".amof", "env"),
    `${variableLines(variables, "dotenv").join("\n")}\n`,
  );
}
