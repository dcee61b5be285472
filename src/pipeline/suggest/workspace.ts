/** What needs a workspace, and what stands for it where there is none. */

import type { ErrorCode } from "../../base/error.ts";
import type { ActionId } from "../../contract/next.ts";
import { asRecord, asText, resultOf } from "./answer.ts";
import { DEFINITIONS } from "./definitions.ts";
import type { Offer } from "./offer.ts";
import type { Situation } from "./situation.ts";

/** Whether an action can only fail without a workspace. */
export function needsWorkspace(id: ActionId, { find }: Pick<Situation, "find">): boolean {
  return find(DEFINITIONS[id].tool)?.inWorkspace === true;
}

/** What only work on an engine fails with. */
const OF_ENGINES: readonly ErrorCode[] = ["engine_unavailable", "engine_conflict", "plan_refused"];

/** Whether an answer is about work that needs no workspace: on an engine, of a campaign, or whatever a run has done. */
function isElsewhere(situation: Situation): boolean {
  const { command, data, failure } = situation;
  if (command.scope === "run" || command.next === "campaign") return true;
  if (failure !== null && OF_ENGINES.includes(failure.code)) return true;
  const preview = asRecord(data["preview"]) ??
    asRecord(asRecord(data["confirmation"])?.["preview"]);
  return asText(resultOf(situation)["engine"]) !== null || asRecord(preview?.["far"]) !== null;
}

/** What there is to read of the run that an answer names. */
function ofItsRun({ data }: Situation): readonly Offer[] {
  const run = asText(data["run_id"]);
  return run === null ? [] : [{ id: "get_run_logs", priority: 1, args: { run_id: run } }];
}

/** Where a workspace was put away, bringing it back comes before making one anew. */
export function withArchive(offers: readonly Offer[]): readonly Offer[] {
  return offers.flatMap((offer) => {
    const { id, args = {} } = offer;
    return id !== "install_ecosystem" || args["repair"] === true
      ? [offer]
      : [{ ...offer, id: "restore_archive" } as const, offer];
  });
}

/** Where there is no workspace, making one stands for everything that needs it, unless the work was done without one. */
export function withoutWorkspace(
  offers: readonly Offer[],
  situation: Situation,
): readonly Offer[] {
  const first = offers.findIndex((offer) => needsWorkspace(offer.id, situation));
  if (first < 0) return offers;
  if (isElsewhere(situation)) {
    const left = offers.filter((offer) => !needsWorkspace(offer.id, situation));
    return left.length > 0 ? left : ofItsRun(situation);
  }
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
