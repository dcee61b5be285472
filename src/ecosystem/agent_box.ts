/**
 * Which box an agent gets: what makes it, and how much of the network it has (BOX-8).
 *
 * @module
 */

import { findMaker, type Maker, type Network } from "../box/mod.ts";
import type { CommandContext } from "../contract/mod.ts";
import { AmofError } from "../error.ts";

/** How much of the network a box gets, asked for or as usual (BOX-8). */
export function networkOf({ settings }: CommandContext, asked: Network | null): Network {
  const most = settings.boxNetwork;
  if (asked === "full" && most === "none") {
    throw new AmofError(
      "box_unavailable",
      "Cannot give the box the network: the setting box_network says that none ever gets it",
      { hint: "A person may change that: amof config set box_network ask" },
    );
  }
  return asked ?? (most === "full" ? "full" : "none");
}

/** What makes a box here, and for how much of the network. */
export function boxMaker({ system }: CommandContext, network: Network): Promise<Maker> {
  return findMaker(system, network);
}
