/** Offers whose label names the thing they are about. */

import { asText } from "./answer.ts";
import { DEFINITIONS } from "./definitions.ts";
import { fitsLabel, type Offer } from "./offer.ts";
import type { Situation } from "./situation.ts";

const MOST_TO_OPEN = 3;

/**
 * The offers to go to the first ecosystems, told apart by position (NEXT-5, row 12). Where no session could stand in
 * one, it is described, which leads on.
 */
export function toOpen(names: readonly unknown[], { find }: Pick<Situation, "find">): Offer[] {
  const stands = find(DEFINITIONS.switch_ecosystem.tool) !== null;
  const known = names.map(asText).filter((name) => name !== null);
  return known.slice(0, MOST_TO_OPEN).map((name, index) => ({
    id: stands ? "switch_ecosystem" : "describe_ecosystem",
    label: `Open ${name}`,
    args: { ecosystem: name },
    priority: 1,
    ...(index === 0 ? {} : { suffix: String(index + 1) }),
  }));
}

/** The offer to work on a ticket, under its name where that fits (NEXT-1). */
export function switchTo(ticket: string): Offer {
  const label = `Switch to ${ticket}`;
  return {
    id: "ticket_switch",
    args: { ticket_id: ticket },
    ...(fitsLabel(label) ? { label } : {}),
  };
}
