/** Suggested next actions: pure rules over what was called and what it answered (NEXT-1 to NEXT-11). */

import { type SuggestedAction, toAction } from "./offer.ts";
import { candidates } from "./candidates.ts";
import { filterAll, gateMode, withArchive, withoutWorkspace } from "./filters.ts";
import type { Situation } from "./answer.ts";

export type { SuggestedAction } from "./offer.ts";
export { selectionIn, type Situation } from "./answer.ts";

/** The next steps worth offering after a call, best first (NEXT-5, NEXT-10). */
export function suggest(situation: Situation): readonly SuggestedAction[] {
  const { offers, absolute } = candidates(situation);
  const usable = situation.installed === false ? withoutWorkspace(offers, situation) : offers;
  const actions = (situation.archived === true ? withArchive(usable) : usable).map((offer) =>
    toAction(offer, situation)
  )
    .filter((action) => action !== null);
  return absolute ? gateMode(actions, situation) : filterAll(actions, situation);
}
