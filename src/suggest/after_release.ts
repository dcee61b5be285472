/**
 * What follows answers about releases (amof.md §6.5 rows 8 to 11).
 *
 * @module
 */

import { type Stage, stageOf } from "./answer.ts";
import { type Condition, holds } from "./conditions.ts";
import type { ActionId } from "./definitions.ts";
import { inOrder, type Offer } from "./offer.ts";
import { offersOf } from "./sets.ts";
import type { Situation } from "./situation.ts";

const PROMOTIONS: Readonly<Record<Stage, ActionId | null>> = {
  alpha: "release_promote_beta",
  beta: "release_promote_rc",
  rc: "release_promote_stable",
  stable: null,
};

function stageCondition(stage: Stage): Condition {
  return `release.stage_${stage}`;
}

/** The offers after the release status (amof.md §6.5 row 8). */
export function afterReleaseStatus(situation: Situation): Offer[] {
  const offers: Offer[] = [];
  if (holds("release.dirty", situation)) {
    offers.push({
      id: "push_ecosystem",
      label: "Commit/push first",
      args: { commit: true },
      priority: 1,
      description: "Commit all changes and send them to their remotes.",
      condition: "release.dirty",
    });
  }
  if (holds("release.version_drift", situation)) {
    offers.push({ id: "release_validate", priority: 1, condition: "release.version_drift" });
  }
  const stage = stageOf(situation);
  offers.push(
    ...(stage === null
      ? offersOf("release.default")
      : offersOf(`release.${stage}`, stageCondition(stage))),
  );
  if (stage === "stable" && holds("release.has_unreleased", situation)) {
    offers.push({ id: "release_bump_alpha", priority: 1, condition: "release.has_unreleased" });
  }
  return offers;
}

/** The offers after the checks of a release (amof.md §6.5 row 9). */
export function afterReleaseValidate(situation: Situation): Offer[] {
  if (situation.data["ok"] !== true) return inOrder(["release_status"]);
  const stage = stageOf(situation);
  const promotion = stage === null ? null : PROMOTIONS[stage];
  return inOrder([
    "release_status",
    "release_log",
    ...(stage === null || promotion === null
      ? []
      : [{ id: promotion, condition: stageCondition(stage) }]),
  ]);
}

/** The offers after a bump or a promotion (amof.md §6.5 row 10). */
export function afterReleaseChange({ phase }: Situation): Offer[] {
  return inOrder(
    phase === "preview"
      ? ["release_status", "release_validate"]
      : ["release_log", "release_status"],
  );
}
