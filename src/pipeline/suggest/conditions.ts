/** The vocabulary of reasons for which an action is offered (NEXT-4). */

import type { Fields } from "../../base/object.ts";
import { asRecord, asRecords, resultOf, runStatusOf, type Stage, stageOf } from "./answer.ts";
import { hasToken, isBeyondMerged, isPushed } from "./pushing.ts";
import type { Situation } from "./situation.ts";

type Predicate = (situation: Situation) => boolean;

function anyRepo(test: (repo: Fields) => boolean): Predicate {
  return ({ data }) => asRecords(data["repos"]).some(test);
}

function runIs(status: string): Predicate {
  return (situation) => runStatusOf(situation) === status;
}

function stageIs(stage: Stage): Predicate {
  return (situation) => stageOf(situation) === stage;
}

function says(member: string, value: unknown): Predicate {
  return ({ data }) => data[member] === value;
}

function isAboveZero(value: unknown): boolean {
  return typeof value === "number" && value > 0;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function workspaceSays(member: string, value: unknown): Predicate {
  return ({ data }) => asRecord(data["workspace"])?.[member] === value;
}

/** How many repositories of a campaign stand how, as far as an answer tells: of a list the newest one that is open. */
function countsOf(situation: Situation): Fields {
  const listed = asRecords(situation.data["campaigns"]).find(({ state }) => state === "open");
  return asRecord(resultOf(situation)["counts"]) ?? listed ?? {};
}

/** Whether one count of a campaign is larger than another. */
function isMore(large: string, small: string): Predicate {
  return (situation) => {
    const { [large]: more, [small]: less } = countsOf(situation);
    return typeof more === "number" && typeof less === "number" && more > less;
  };
}

function anyShape(test: (shape: Fields) => boolean): Predicate {
  return (situation) => asRecords(resultOf(situation)["shapes"]).some(test);
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** Whether commits are approved that are on no remote branch yet. */
const hasUnpushed: Predicate = (situation) => {
  const result = resultOf(situation);
  return isMore("approved", "pushed")(situation) || isAboveZero(result["later"]) ||
    isFilledList(result["approved"]) && isFilledList(result["repos"]) ||
    anyShape((shape) =>
      shape["approved"] === true && Array.isArray(shape["repos"]) &&
      shape["repos"].length > Number(shape["pushed"])
    )(situation);
};

const CONDITIONS = {
  "status.has_unpushed": anyRepo((repo) => isPushed(repo, "ahead")),
  "status.has_dirty": anyRepo((repo) => isPushed(repo, "dirty")),
  "status.is_merged": anyRepo((repo) => repo["mode"] === "RW" && hasToken(repo, "MERGED")),
  "status.goes_beyond_merged": (situation) =>
    anyRepo(isBeyondMerged)(situation) ||
    asRecords(resultOf(situation)["repos"]).some((row) => row["beyond_merged"] === true),
  "status.has_missing": anyRepo((repo) => hasToken(repo, "MISSING")),
  "status.has_wrong_branch": anyRepo((repo) =>
    hasToken(repo, "WRONG_BRANCH") || hasToken(repo, "DETACHED")
  ),
  "workspace.not_installed": (situation) =>
    situation.failure?.code === "workspace_not_installed" ||
    situation.data["installed"] === false || situation.data["workspace"] === null,
  "workspace.no_active_ticket": workspaceSays("active_ticket", null),
  "workspace.no_tickets": (situation) =>
    workspaceSays("ticket_count", 0)(situation) || isEmptyList(situation.data["tickets"]),
  "run.running": runIs("running"),
  "run.success": runIs("success"),
  "run.failed": runIs("failed"),
  "release.stage_alpha": stageIs("alpha"),
  "release.stage_beta": stageIs("beta"),
  "release.stage_rc": stageIs("rc"),
  "release.stage_stable": stageIs("stable"),
  "release.dirty": says("dirty", true),
  "release.version_drift": says("version_drift", true),
  "release.has_unreleased": ({ data }) =>
    data["has_unreleased"] === true || isAboveZero(data["commits_since_tag"]),
  "campaign.has_unapproved": (situation) =>
    isMore("changed", "approved")(situation) ||
    anyShape((shape) => shape["approved"] === false)(situation),
  "campaign.has_unpushed": hasUnpushed,
  "campaign.has_undone": (situation) => isAboveZero(countsOf(situation)["failed"]),
  "campaign.is_merged": (situation) => {
    const { changed, merged, failed } = countsOf(situation);
    return changed === 0 && failed === 0 && isAboveZero(merged);
  },
  "campaign.was_pushed": (situation) =>
    asRecords(resultOf(situation)["repos"]).some(({ result }) =>
      result === "pushed" || result === "up_to_date"
    ),
  "server.running": says("running", true),
  "server.stopped": says("running", false),
  "manifest.invalid": (situation) =>
    situation.failure?.code === "manifest_invalid" || situation.data["valid"] === false,
} as const satisfies Readonly<Record<string, Predicate>>;

/** The name of a condition of NEXT-4. */
export type Condition = keyof typeof CONDITIONS;

/** Whether a condition is true of an answer; what it does not tell is not true (NEXT-4). */
export function holds(condition: Condition, situation: Situation): boolean {
  return CONDITIONS[condition](situation);
}
