/** Gives a ticket its range of ports (TICKET-15), and frees what it holds on this machine besides its files. */

import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { PortHolding } from "../../state/store/mod.ts";
import { operation } from "../../runs/steps/mod.ts";

/**
 * Frees the ports of the ticket in a directory, lets go of the mirrors its clones borrow from, and forgets their seals.
 */
export async function releaseTicket(
  ctx: Pick<ExecuteContext, "ports" | "borrowers" | "seals">,
  directory: string,
): Promise<void> {
  ctx.ports.free(directory);
  ctx.borrowers.remove(directory);
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
  const base = ctx.ports.take(holding);
  if (base !== null) return base;
  for (const { directory } of (await ctx.store()).ports.list()) {
    if (await ctx.system.files.lstat(directory) === null) ctx.ports.free(directory);
  }
  const freed = ctx.ports.take(holding);
  if (freed !== null) return freed;
  throw new AmofError(
    "workspace_exists",
    `Cannot give "${holding.ticket}" ports: other tickets of this machine hold all ports`,
    { hint: "End those that are done: amof ticket list", details: { ticket_id: holding.ticket } },
  );
}
