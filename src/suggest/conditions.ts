/**
 * The vocabulary of reasons for which an action is offered (NEXT-4).
 *
 * @module
 */

import type { Fields } from "../object.ts";
import {
  asRecord,
  asRecords,
  asText,
  resultOf,
  runStatusOf,
  type Stage,
  stageOf,
} from "./answer.ts";
import type { Situation } from "./situation.ts";

type Predicate = (situation: Situation) => boolean;

function anyRepo(test: (repo: Fields) => boolean): Predicate {
  return ({ data }) => asRecords(data["repos"]).some(test);
}

function hasToken(repo: Fields, token: string): boolean {
  return asText(repo["status"])?.split("+").includes(token) ?? false;
}

/** Where a repository stands from which nothing is pushed. */
const HELD_BACK = ["WRONG_BRANCH", "DETACHED", "DIVERGED"];

/** Whether a repository waits for a merge, rebase or the like to go on or back. */
function isInTheMiddle(repo: Fields): boolean {
  return asText(repo["in_progress"]) !== null || isAboveZero(repo["conflicts"]);
}

/** Whether a push refuses what a repository has. */
function isHeldBack(repo: Fields): boolean {
  return isInTheMiddle(repo) || HELD_BACK.some((token) => hasToken(repo, token));
}

/** Whether the branch that is checked out has something to push; `unpushed` may be said of other branches alone. */
function isAhead(repo: Fields): boolean {
  const onlyOthers = isFilledList(repo["other_unpushed"]) && !isAboveZero(repo["ahead"]);
  return repo["unpushed"] === true && !onlyOthers && !hasToken(repo, "MERGED");
}

/** Whether a repository in a status waits for something to go on or back. */
export function isAnyInTheMiddle({ data }: Situation): boolean {
  return asRecords(data["repos"]).some(isInTheMiddle);
}

/** The names of the writable repositories in a status with work that a push would refuse. */
export function heldBack({ data }: Situation): string[] {
  return asRecords(data["repos"]).filter((repo) =>
    repo["mode"] === "RW" &&
    (hasToken(repo, "MERGED") || (isAhead(repo) || repo["dirty"] === true) && isHeldBack(repo))
  ).map((repo) => asText(repo["name"])).filter((name) => name !== null);
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
  "status.has_unpushed": anyRepo((repo) =>
    repo["mode"] === "RW" && isAhead(repo) && !isHeldBack(repo)
  ),
  "status.has_dirty": anyRepo((repo) => repo["dirty"] === true && !isHeldBack(repo)),
  "status.is_merged": anyRepo((repo) => repo["mode"] === "RW" && hasToken(repo, "MERGED")),
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
