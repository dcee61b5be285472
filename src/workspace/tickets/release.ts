/** Frees what a ticket with a workspace holds on this machine besides its files. */

import type { ExecuteContext } from "../../contract/mod.ts";
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
