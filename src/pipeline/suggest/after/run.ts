/** What follows an answer about one run, the pull requests of a ticket, or a campaign (NEXT-5). */

import { EXIT } from "../../../base/error.ts";
import { promotion } from "./release.ts";
import {
  asRecord,
  asRecords,
  asText,
  continues,
  hasRemoved,
  readies,
  removes,
  resultOf,
  runBy,
  runStatusOf,
  type Situation,
} from "../answer.ts";
import { type Condition, holds } from "../conditions.ts";
import { DEFINITIONS } from "../definitions.ts";
import { inOrder, type Offer, offersOf, type SetName } from "../offer.ts";
import { changesEnvironment, type Known } from "../../../contract/mod.ts";

/** The approval of the most frequent shape that was just shown and has none: a person looks at one after the other. */
function toApprove(situation: Situation): Offer[] {
  if (situation.command.name !== DEFINITIONS.campaign_show.tool) return [];
  const open = asRecords(situation.data["shapes"]).find(({ approved }) => approved === false);
  const id = asText(open?.["id"]);
  if (id === null) return [];
  return [{
    id: "campaign_approve",
    args: { shapes: [id] },
    condition: "campaign.has_unapproved",
  }];
}

/** The offers after an answer about a campaign, or about a run of one. */
export function afterCampaign(situation: Situation): Offer[] {
  const when = (offer: Pick<Offer, "args"> & Required<Pick<Offer, "id" | "condition">>) =>
    holds(offer.condition, situation) ? [offer] : [];
  const name = asText(resultOf(situation)["campaign"]);
  // One that a list has told of has to be named, and only one that is open goes on.
  const listed = asRecords(situation.data["campaigns"]).find(({ state }) => state === "open");
  const campaign = name ?? asText(listed?.["name"]);
  const named = (offers: readonly Offer[]) =>
    campaign === null
      ? []
      : offers.map((offer) => ({ ...offer, args: { campaign, ...offer.args } }));
  return inOrder(named([
    ...when({ id: "campaign_show", condition: "campaign.has_unapproved" }),
    ...toApprove(situation),
    ...when({ id: "campaign_push", condition: "campaign.has_unpushed" }),
    ...when({ id: "campaign_update", condition: "campaign.has_undone" }),
    ...when({ id: "campaign_close", condition: "campaign.is_merged" }),
    ...when({ id: "campaign_status", args: { remotes: true }, condition: "campaign.was_pushed" }),
    { id: "campaign_status" },
  ]));
}

/** What a change set can do next, by its state; `null` for one that waits for somebody. */
const NEXT: Readonly<Record<string, Pick<Offer, "id" | "args"> | null>> = {
  none: { id: "pr_open" },
  ready: { id: "pr_land" },
  landed: { id: "ticket_end", args: { cleanup: true } },
  // The rest lands only where nothing holds it back.
  partly_landed: { id: "pr_land", args: { resume: true } },
};

/** How a change set is brought on that cannot land yet; null where it waits for somebody. */
function onward(repos: ReturnType<typeof asRecords>): Pick<Offer, "id" | "args"> | null {
  if (repos.some(({ state }) => state === "closed")) return { id: "pr_open" };
  return repos.some(({ blocked_by: by }) => Array.isArray(by) && by.includes("not_pushed"))
    ? { id: "pr_update" }
    : null;
}

/** The same where a base branch takes pull requests only in a queue: a landing has to be told so. */
function inQueue(
  next: Pick<Offer, "id" | "args"> | null,
  queue: boolean,
): Pick<Offer, "id" | "args"> | null {
  return queue && next?.id === "pr_land"
    ? { ...next, args: { ...next.args, allow_queue: true } }
    : next;
}

/** What came of a repository without a pull request. */
const NOTHING_OPEN: ReadonlySet<unknown> = new Set(["skipped", "pushed"]);

/** The offers after an answer about a change set: what it can do next, and how it stands. */
export function afterChange(situation: Situation): Offer[] {
  const { change_set, ticket_id, repos, without } = resultOf(situation);
  const set = asRecord(change_set);
  const ticket = asText(set?.["ticket_id"]) ?? asText(ticket_id);
  const state = asText(set?.["state"]) ?? "";
  // What waits only for others of the set lands with them.
  const isHeld = asRecords(repos).some(({ state, blocked_by: by }) =>
    state === "closed" ||
    state === "open" && Array.isArray(by) && by.some((one) => !`${one}`.startsWith("depends_on:"))
  );
  // A ticket that is not worked on here can only be landed.
  const isElsewhere = set?.["known"] === false && state !== "ready" && state !== "partly_landed";
  const isEmpty = state === "none" &&
    !asRecords(without).some(({ commits }) => Number(commits) > 0);
  // Where none was opened and none was there, there is nothing to look at.
  const made = asRecords(repos);
  const isNone = set === null && made.length > 0 &&
    made.every(({ result, number }) => NOTHING_OPEN.has(result) && number === null);
  const isStuck = state === "partly_landed" && isHeld;
  const next = isElsewhere || isEmpty || isStuck
    ? null
    : /^(?:open|closed)$/.test(state)
    ? onward(asRecords(repos))
    : inQueue(NEXT[state] ?? null, set?.["queue"] === true);
  const named = (offer: Pick<Offer, "id" | "args">): Offer => ({
    ...offer,
    args: { ticket_id: ticket, ...offer.args },
    priority: 1,
  });
  return inOrder([
    ...(next === null || ticket === null ? [] : [named(next)]),
    ...(ticket === null || isNone ? [] : [named({ id: "pr_status" })]),
    "get_ecosystem_status",
    "ticket_list",
  ]);
}

const BY_STATUS: ReadonlyMap<unknown, readonly [SetName, Condition | null]> = new Map([
  ["queued", ["run.queued", null]],
  ["paused", ["run.paused", null]],
  ["running", ["run.running", "run.running"]],
  ["success", ["run.success", "run.success"]],
  ["failed", ["run.failed", "run.failed"]],
  ["cancelled", ["run.cancelled", null]],
]);

/** Whether an install has put clones at the commits of a lock. */
function isAtLock(situation: Situation): boolean {
  return Array.isArray(resultOf(situation)["locked"]);
}

/** Without the sync that would take clones past the lock which they were just put at. */
export function withinLock(situation: Situation, offers: Offer[]): Offer[] {
  return isAtLock(situation) ? offers.filter(({ id }) => id !== "sync_ecosystem") : offers;
}

/** How a run that left repositories behind is completed. */
function toComplete(situation: Situation): Offer[] {
  const { data } = situation;
  const ready = readies(runBy(situation));
  if (data["exit_code"] !== EXIT.partial || ready === null || ready === "after_commit") {
    return [];
  }
  // It would go past the lock.
  if (isAtLock(situation)) {
    return [{ id: "get_ecosystem_status", condition: "run.failed" }];
  }
  const args = ready === "after_sync" ? { only: [`failed=${String(data["run_id"])}`] } : {};
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
  const command = runBy(situation);
  const set = runSet(situation);
  // What is left is shown first.
  const offers = hasRemoved(situation) ? [...offersOf("post_destructive"), ...set] : set;
  const ofEnvironment = situation.find(DEFINITIONS.spin_status.tool) !== null;
  if (command !== null && changesEnvironment(command) && ofEnvironment) {
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
  if (removes(command)) return about;
  const ready = continues(situation);
  if (ready === null) return offers;
  // The next steps of the work come before a look back at the run.
  const offered = ready === "after_commit"
    ? afterCommit(situation)
    : offersOf(`ecosystem.${ready}`);
  const first = withinLock(situation, offered);
  return inOrder([...first, ...about], "run.success");
}
