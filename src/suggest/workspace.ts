/**
 * What needs a workspace, and what stands for it where there is none.
 *
 * @module
 */

import type { ActionId } from "../contract/next.ts";
import { DEFINITIONS } from "./definitions.ts";
import type { Offer } from "./offer.ts";
import type { Situation } from "./situation.ts";

/** Whether an action can only fail without a workspace. */
export function needsWorkspace(id: ActionId, { find }: Pick<Situation, "find">): boolean {
  return find(DEFINITIONS[id].tool)?.inWorkspace === true;
}

/** Where there is no workspace, making one stands for everything that needs it. */
export function withoutWorkspace(
  offers: readonly Offer[],
  situation: Situation,
): readonly Offer[] {
  const first = offers.findIndex((offer) => needsWorkspace(offer.id, situation));
  if (first < 0) return offers;
  const install: Offer = {
    id: "install_ecosystem",
    priority: offers[first]?.priority ?? 1,
    condition: "workspace.not_installed",
  };
  return offers.flatMap((offer, index) => {
    if (index === first) return [install];
    return needsWorkspace(offer.id, situation) ? [] : [offer];
  });
}
