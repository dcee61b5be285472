/**
 * What needs a workspace, and what stands for it where there is none.
 *
 * @module
 */

import type { ActionId } from "./definitions.ts";
import type { Offer } from "./offer.ts";

/** What can only fail without a workspace. */
export const IN_WORKSPACE: ReadonlySet<ActionId> = new Set([
  "get_ecosystem_status",
  "back_to_ecosystem",
  "sync_ecosystem",
  "push_ecosystem",
  "ticket_start",
  "ticket_list",
  "ticket_switch",
]);

/** Where there is no workspace, making one stands for everything that needs it. */
export function withoutWorkspace(offers: readonly Offer[]): readonly Offer[] {
  const first = offers.findIndex((offer) => IN_WORKSPACE.has(offer.id));
  if (first < 0) return offers;
  const install: Offer = {
    id: "install_ecosystem",
    priority: offers[first]?.priority ?? 1,
    condition: "workspace.not_installed",
  };
  return offers.flatMap((offer, index) => {
    if (index === first) return [install];
    return IN_WORKSPACE.has(offer.id) ? [] : [offer];
  });
}
