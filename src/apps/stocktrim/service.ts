/**
 * The service as commands reach it.
 *
 * @module
 */

import type { CommandContext } from "../../contract/mod.ts";
import type { StockTrim } from "./client/client.ts";

/**
 * The service of the account that the environment names (STOCKTRIM-2); loaded when the first command asks for it. A preview and the
 * deed that follows it have half each of the time that a host gives a call, a query has all of it.
 */
export async function service(
  ctx: Pick<CommandContext, "system" | "signal">,
  budgetMs?: number,
): Promise<StockTrim> {
  const { openStockTrim } = await import("./client/open.ts");
  return openStockTrim(ctx, budgetMs);
}

/** The service for a preview, which is followed by a deed in the same call. */
export function forPreview(ctx: Pick<CommandContext, "system" | "signal">): Promise<StockTrim> {
  return service(ctx, PREVIEW_MS);
}

/** The service for a deed, which a preview came before in the same call. */
export function forDeed(ctx: Pick<CommandContext, "system" | "signal">): Promise<StockTrim> {
  return service(ctx, DEED_MS);
}

/** The service to look again and again how far something is. */
export function forWaiting(ctx: Pick<CommandContext, "system" | "signal">): Promise<StockTrim> {
  return service(ctx, WAITING_MS);
}

const WAITING_MS = 45_000;
const PREVIEW_MS = 20_000;
const DEED_MS = 25_000;
