/** What would go with the workspace of a ticket, looked at as removals do before they ask anybody. */

import type { CommandContext } from "../../contract/mod.ts";
import { digestsOf, refuseObstacles, type Stock } from "../../workspace/removal/mod.ts";
import { amongDigest, ticketStock } from "../../workspace/tickets/changing.ts";
import type { TicketWorkspace } from "../../workspace/tickets/mod.ts";
import { refuseInside } from "../removal/losses.ts";
import { refuseAtWork } from "./at_work.ts";

/** The workspace of a ticket that would go. */
export interface TicketGoing {
  /** Absolute. */
  readonly directory: string;
  readonly stock: Stock;
  /** The places of its clones, relative. */
  readonly paths: readonly string[];
  /** Repository to digest. */
  readonly digests: Readonly<Record<string, string>>;
  /** What lies among its clones, as a digest. */
  readonly among: string;
}

/**
 * Looks at the workspace of a ticket. Throws `workspace_in_use` where the caller stands in it or an agent is at work there,
 * and where something is in the way.
 */
export async function ticketGoing(
  ctx: CommandContext,
  { directory, record }: TicketWorkspace,
  { command, what }: {
    /** The words of the command, such as "discard --tickets". */
    readonly command: string;
    /** What it does, such as "discard ticket T-1". */
    readonly what: string;
  },
): Promise<TicketGoing> {
  await refuseInside(ctx, command, directory, what);
  await refuseAtWork(ctx, record.ticket_id, what);
  const stock = await ticketStock(ctx, directory, record);
  refuseObstacles(what, stock.obstacles);
  const paths = Object.values(record.repos).map(({ path }) => path);
  const among = await amongDigest(ctx.system, directory, paths);
  return { directory, stock, paths, digests: digestsOf(stock), among };
}
