/** What follows answers about releases (NEXT-5, rows 8 to 11). */

import { asRecord, type Situation, type Stage, stageOf } from "../answer.ts";
import { type Condition, holds } from "../conditions.ts";
import { defined, isObject } from "../../../base/object.ts";
import type { ActionId } from "../../../contract/next.ts";
import { inOrder, type Offer, offersOf } from "../offer.ts";

const PROMOTIONS: Readonly<Record<Stage, ActionId | null>> = {
  alpha: "release_promote_beta",
  beta: "release_promote_rc",
  rc: "release_promote_stable",
  stable: null,
};

function stageCondition(stage: Stage): Condition {
  return `release.stage_${stage}`;
}

/** What looks at a remote unless it is told not to. */
const PUSHING = new Set<ActionId>([
  ...Object.values(PROMOTIONS).filter((id) => id !== null),
  "release_bump_alpha",
  "release_validate",
]);

/** The offers without a push, where an answer says that there is no remote, or that nothing was to be pushed. */
function staying({ data }: Situation, offers: readonly Offer[]): Offer[] {
  const { can_push, push, pushed, push_error } = asRecord(data["result"]) ?? data;
  const stays = can_push === false || push === false || (pushed === false && push_error === null);
  return offers.map((offer) =>
    stays && PUSHING.has(offer.id) ? { ...offer, args: { push: false } } : offer
  );
}

/** Whether an answer says that the next stage could be released; undefined where it says nothing of that. */
function isReady({ data }: Situation): boolean | undefined {
  const { ready } = asRecord(data["result"]) ?? data;
  return isObject(ready) && typeof ready["ok"] === "boolean" ? ready["ok"] : undefined;
}

/**
 * The promotion of the current version, or the checks where it would be refused: they tell what is in the way. None
 * where nobody has looked, where the stage is not known, and behind the last.
 */
export function promotion(situation: Situation, ready = isReady(situation)): Offer[] {
  const stage = stageOf(situation);
  const id = stage === null ? null : PROMOTIONS[stage];
  if (stage === null || id === null || ready === undefined) return [];
  return staying(situation, [
    ready
      ? { id, priority: 1, condition: stageCondition(stage) }
      : { id: "release_validate", priority: 1 },
  ]);
}

/**
 * What leads on where an answer says that there is no version yet: the first one, kept here where it could not be
 * pushed. Null where there is one, or nothing is said of it.
 */
export function firstRelease({ data, failure }: Situation): Offer[] | null {
  const hasRemote = (failure?.details ?? data)["has_remote"];
  if (typeof hasRemote !== "boolean") return null;
  return [{ id: "release_init", ...(hasRemote ? {} : { args: { push: false } }) }];
}

/** The offers where nothing but the scope is known. */
export function aboutReleases(situation: Situation): Offer[] {
  return inOrder(
    firstRelease(situation) ?? [...promotion(situation), ...offersOf("release.default")],
  );
}

/** The push of releases that are only here, which comes before another one. */
function pushing(situation: Situation): Offer[] {
  const condition = "release.has_unpushed";
  return holds(condition, situation) ? [{ id: "release_push", priority: 1, condition }] : [];
}

/** The offers after the release status (NEXT-5, row 8). */
export function afterReleaseStatus(situation: Situation): Offer[] {
  const stage = stageOf(situation);
  const refuses = isReady(situation) === false;
  const condition = (["release.dirty", "release.version_drift"] as const)
    .find((name) => holds(name, situation));
  // What is to be committed or mended in the control repository no other command does; the checks say how.
  const checks: Offer = { id: "release_validate", priority: 1, ...defined({ condition }) };
  const offers = [
    ...pushing(situation),
    ...(condition !== undefined || refuses ? [checks] : []),
    ...(stage === null
      ? offersOf("release.default")
      : offersOf(`release.${stage}`, stageCondition(stage))),
  ];
  if (stage === "stable" && holds("release.has_unreleased", situation)) {
    offers.push({ id: "release_bump_alpha", priority: 1, condition: "release.has_unreleased" });
  }
  const told = staying(situation, offers);
  if (stage === null || !refuses) return told;
  // What stands in the way of the next stage would refuse it; the checks tell what that is.
  const refused = PROMOTIONS[stage];
  return told.filter(({ id }) => id !== refused);
}

/** The offers after the checks of a release. */
export function afterReleaseValidate(situation: Situation): Offer[] {
  const { ok, stage, target_stage } = situation.data;
  if (ok !== true) return inOrder(["release_status"]);
  // What holds for another number of the same stage need not hold for the next one.
  const next = stage === target_stage ? undefined : true;
  return inOrder([...promotion(situation, next), "release_status", "release_log"]);
}

/** The offers after a bump or a promotion. */
export function afterReleaseChange(situation: Situation): Offer[] {
  return inOrder(
    situation.phase === "preview"
      ? ["release_status", "release_validate"]
      : [...pushing(situation), ...promotion(situation), "release_log", "release_status"],
  );
}
