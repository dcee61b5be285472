/**
 * What follows an answer about one run.
 *
 * @module
 */

import { EXIT } from "../error.ts";
import { promotion } from "./after_release.ts";
import { continues, runStatusOf } from "./answer.ts";
import type { Condition } from "./conditions.ts";
import { inOrder, type Offer } from "./offer.ts";
import { offersOf, type SetName } from "./sets.ts";
import type { Situation } from "./situation.ts";

const BY_STATUS: ReadonlyMap<unknown, readonly [SetName, Condition | null]> = new Map([
  ["queued", ["run.queued", null]],
  ["paused", ["run.paused", null]],
  ["running", ["run.running", "run.running"]],
  ["success", ["run.success", "run.success"]],
  ["failed", ["run.failed", "run.failed"]],
  ["cancelled", ["run.cancelled", null]],
]);

/** Runs after which the history of releases tells what was done (NEXT-7). */
const RELEASING: ReadonlySet<unknown> = new Set([
  "release_bump",
  "release_promote",
  "release_init",
  "release_push",
]);

/** How a run of install or sync is completed that left repositories behind. */
function toComplete({ data }: Situation): Offer[] {
  if (data["exit_code"] !== EXIT.partial) return [];
  const { action } = data;
  const again = action === "sync" ? { failed_from: data["run_id"] } : {};
  return action === "install" || action === "sync"
    ? [{ id: "sync_ecosystem", says: "complete_it", args: again, condition: "run.failed" }]
    : [];
}

const ON_ENVIRONMENT: ReadonlySet<unknown> = new Set(["spin_deploy", "spin_destroy"]);

/** The set for the status of the run; a look at it when its status is not known (NEXT-3). */
export function runSet(situation: Situation): Offer[] {
  const [name, condition] = BY_STATUS.get(runStatusOf(situation)) ?? ["run.queued", null];
  return offersOf(name, condition);
}

/** The offers after the status, logs or summary of a run. */
export function afterRun(situation: Situation): Offer[] {
  const offers = runSet(situation);
  const { action } = situation.data;
  if (ON_ENVIRONMENT.has(action) && situation.find("amof_spin_status") !== null) {
    // Such a run changed the environment, so the way back leads to the environment's status.
    return inOrder(
      offers.map((offer) =>
        offer.id === "back_to_ecosystem"
          ? { id: "spin_status", ...(offer.condition ? { condition: offer.condition } : {}) }
          : offer
      ),
    );
  }
  if (runStatusOf(situation) !== "success") {
    return inOrder([...toComplete(situation), ...offers]);
  }
  const about = offers.filter((offer) => offer.id !== "back_to_ecosystem");
  if (RELEASING.has(action)) {
    return inOrder([...promotion(situation), ...about, "release_log", "release_status"]);
  }
  // There is no workspace left to go back to.
  if (action === "discard" || action === "archive") return about;
  const ready = continues(situation);
  if (ready === null) return offers;
  // The next steps of the work come before a look back at the run.
  return inOrder([...offersOf(`ecosystem.after_${ready}`), ...about], "run.success");
}
