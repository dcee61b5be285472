/**
 * What the declarations of all commands about StockTrim have in common.
 *
 * @module
 */

import type { ZodNamespace } from "../../contract/mod.ts";

/** They are about no ecosystem and work without a control repository; a server offers them where it is told to (STOCKTRIM-1). */
export const STOCKTRIM = {
  toolset: "stocktrim",
  scope: "session",
  about: "stocktrim",
  rootless: true,
  extra: true,
  openWorld: true,
} as const;

/** The longest code, name or reference that is accepted. */
const LONGEST = 200;

/** A text that says something: a code, a name, a reference. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function word(z: ZodNamespace, description: string) {
  return z.string().trim().min(1).max(LONGEST).describe(description);
}

/** How far purchase orders can be, in their order. */
export const STATUSES = ["Draft", "Approved", "Sent", "Received"] as const;
