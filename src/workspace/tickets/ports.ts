/** Gives a ticket its range of ports (TICKET-15). */

import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { PortHolding } from "../../state/store/mod.ts";

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
