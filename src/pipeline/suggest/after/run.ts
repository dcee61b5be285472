/** What follows an answer about one run. */

import { EXIT } from "../../../base/error.ts";
import { afterCampaign } from "./campaign.ts";
import { afterChange } from "./change.ts";
import { promotion } from "./release.ts";
import { asRecords, continues, removal, resultOf, runBy, runStatusOf } from "../answer.ts";
import type { Condition } from "../conditions.ts";
import { DEFINITIONS } from "../definitions.ts";
import { inOrder, type Offer } from "../offer.ts";
import { offersOf, type SetName } from "../sets.ts";
import type { Known } from "../../../contract/mod.ts";
import type { Situation } from "../situation.ts";

const BY_STATUS: ReadonlyMap<unknown, readonly [SetName, Condition | null]> = new Map([
  ["queued", ["run.queued", null]],
  ["paused", ["run.paused", null]],
  ["running", ["run.running", "run.running"]],
  ["success", ["run.success", "run.success"]],
  ["failed", ["run.failed", "run.failed"]],
  ["cancelled", ["run.cancelled", null]],
]);

/** How a run that left repositories behind is completed. */
function toComplete(situation: Situation): Offer[] {
  const { data } = situation;
  const readies = runBy(situation)?.readies;
  if (data["exit_code"] !== EXIT.partial || readies === undefined || readies === "after_commit") {
    return [];
  }
  const args = readies === "after_sync" ? { only: [`failed=${String(data["run_id"])}`] } : {};
  return [{ id: "sync_ecosystem", says: "complete_it", args, condition: "run.failed" }];
}

/** The push of what a commit has made: where that is on base branches alone, of these by name (NEXT-7). */
function afterCommit(situation: Situation): Offer[] {
  const rows = asRecords(resultOf(situation)["repos"]);
  const made = rows.filter((row) => row["result"] === "committed");
  // What an update of a ticket leaves to be pushed, beside changes or not, tells the status; and all of it after a log.
  if (made.length === 0) return inOrder(["get_ecosystem_status"]);
  // It knows what that takes.
  if (made.some((row) => row["beyond_merged"] === true)) {
    return inOrder([
      { id: "get_ecosystem_status", condition: "status.goes_beyond_merged" },
    ]);
  }
  const [base, feature] = [true, false].map((isBase) =>
    made.filter((row) => (row["on_base"] === true) === isBase).map(({ name }) => String(name))
  );
  const offers = offersOf("ecosystem.after_commit");
  if (feature === undefined || base === undefined || base.length === 0) {
    // What was held back would hold back a push, too.
    const isAll = rows.every((row) => row["code"] === null || row["code"] === undefined);
    const args = isAll || feature === undefined ? {} : { repos: feature };
    return offers.map((offer) => offer.id === "push_ecosystem" ? { ...offer, args } : offer);
  }
  return offers.map((offer) =>
    offer.id !== "push_ecosystem"
      ? offer
      : feature.length > 0
      ? { ...offer, args: { repos: feature } }
      : { ...offer, says: "push_base", args: { repos: base, allow_base: true } }
  );
}

/** The set for the status of the run; a look at it when its status is not known (NEXT-3). */
export function runSet(situation: Situation): Offer[] {
  const [name, condition] = BY_STATUS.get(runStatusOf(situation)) ?? ["run.queued", null];
  return offersOf(name, condition);
}

/** The offers after work that goes on though only a part was done: of a campaign or change set; null for any other. */
export function afterPart(command: Known | null, situation: Situation): Offer[] | null {
  if (command?.next === "campaign") return afterCampaign(situation);
  return command?.next === "change" ? afterChange(situation) : null;
}

/** The offers after the status, logs or summary of a run. */
export function afterRun(situation: Situation): Offer[] {
  const offers = runSet(situation);
  const command = runBy(situation);
  const ofEnvironment = situation.find(DEFINITIONS.spin_status.tool) !== null;
  if (command?.about === "environment" && ofEnvironment) {
    // Such a run changed the environment, so the way back leads to the environment's status.
    return inOrder(
      offers.map((offer) =>
        offer.id === "back_to_ecosystem"
          ? { id: "spin_status", ...(offer.condition ? { condition: offer.condition } : {}) }
          : offer
      ),
    );
  }
  const worked = runStatusOf(situation) === "success" ||
    situation.data["exit_code"] === EXIT.partial;
  const next = worked ? afterPart(command, situation) : null;
  if (next !== null) {
    const about = offers.filter((offer) => offer.id !== "back_to_ecosystem");
    return inOrder([...next, ...about]);
  }
  if (runStatusOf(situation) !== "success") {
    return inOrder([...toComplete(situation), ...offers]);
  }
  const about = offers.filter((offer) => offer.id !== "back_to_ecosystem");
  // The history of releases tells what was done.
  if (command?.scope === "release" && command.toolset === "release") {
    return inOrder([...promotion(situation), ...about, "release_log", "release_status"]);
  }
  // There is no workspace left to go back to.
  if (removal(command) !== null) return about;
  const ready = continues(situation);
  if (ready === null) return offers;
  // The next steps of the work come before a look back at the run.
  const first = ready === "after_commit" ? afterCommit(situation) : offersOf(`ecosystem.${ready}`);
  return inOrder([...first, ...about], "run.success");
}
