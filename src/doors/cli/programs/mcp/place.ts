/** The place that an MCP server is told when it is started: an ecosystem, or a ticket that it is bound to (MCP-8). */

import type { App } from "../../../../pipeline/app.ts";
import { ticketToBind } from "../../../../pipeline/ticket.ts";
import type { Bound } from "../../../../contract/place.ts";
import { findRoot } from "../../../../commands/ecosystem/root.ts";
import { currentEcosystem, requireEcosystem } from "../../../../commands/ecosystem/discover.ts";

/** The control repository of a server. Throws `root_not_found`. */
function rootOf({ system, root, settings }: App): Promise<string> {
  return findRoot(system, root, settings.root);
}

/**
 * The ticket that a server is to be bound to, in the ecosystem that was named or the current one; null without one.
 * Throws where it has no workspace of its own.
 */
export async function boundTo(
  app: App,
  named: string | null,
  ticket: string | undefined,
): Promise<Bound | null> {
  const { system } = app;
  const root = await rootOf(app);
  const ecosystem = named ?? await currentEcosystem(system, root, () => Promise.resolve(null));
  await requireEcosystem(system, root, ecosystem);
  const id = await ticketToBind(system, root, ecosystem, ticket ?? null);
  return id === null ? null : { ecosystem, ticket: id };
}

/** Throws `ecosystem_not_found` where the control repository has no such ecosystem. */
export async function requireThere(app: App, ecosystem: string): Promise<void> {
  await requireEcosystem(app.system, await rootOf(app), ecosystem);
}
