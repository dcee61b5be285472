/**
 * The vocabulary of reasons for which an action is offered (NEXT-4). It also says which push takes what the
 * repositories of a status have, so that an offered push is not refused (NEXT-6).
 */

import type { Fields } from "../../base/object.ts";
import {
  asRecord,
  asRecords,
  asText,
  resultOf,
  runStatusOf,
  type Situation,
  type Stage,
  stageOf,
} from "./answer.ts";

/** How a repository takes part in a push; `held` where none takes it, `none` where it has nothing. */
type PushPart = "push" | "commit" | "push_base" | "commit_base" | "held" | "none";

/**
 * The pushes that can be offered, what is asked of each, and what it is called; the first that has something is offered.
 * One that commits takes along what is committed already.
 */
const PUSHES = {
  commit: { condition: "status.has_dirty", says: "commit_and_push", args: { commit: true } },
  push: { condition: "status.has_unpushed" },
  commit_base: {
    condition: "status.has_dirty",
    says: "commit_and_push_base",
    args: { commit: true, allow_base: true },
  },
  push_base: { condition: "status.has_unpushed", says: "push_base", args: { allow_base: true } },
} as const satisfies Partial<Record<PushPart, object>>;

/** Whether the status of a repository has this word. */
export function hasToken(repo: Fields, token: string): boolean {
  return asText(repo["status"])?.split("+").includes(token) ?? false;
}

/** Whether a repository waits for a merge, rebase or the like to go on or back. */
function isInTheMiddle(repo: Fields): boolean {
  return asText(repo["in_progress"]) !== null || isAboveZero(repo["conflicts"]);
}

/** Whether somebody has to look at what git goes by in a repository before anything is done there. */
function isUntrusted(repo: Fields): boolean {
  const found = repo["untrusted"];
  return Array.isArray(found) && found.length > 0;
}

/** Whether a repository in a status refuses to change its branch: it waits for something or somebody, or is on none. */
export function isStuck(repo: Fields): boolean {
  return isInTheMiddle(repo) || repo["mode"] === "RW" &&
      (hasToken(repo, "DETACHED") || isUntrusted(repo));
}

/** Whether a repository in a status is not on the branch where it should be. */
export function isAstray(repo: Fields): boolean {
  return hasToken(repo, "WRONG_BRANCH") || hasToken(repo, "DETACHED");
}

/** Where a repository stands from which nothing is pushed. A commit on a branch that is behind would make it diverge. */
const HELD_BACK = ["WRONG_BRANCH", "DETACHED", "NO_REMOTE", "DIVERGED", "BEHIND", "PINNED"];

/** Whether the branch that is checked out has something to push; `unpushed` may be said of other branches alone. */
function isAhead(repo: Fields): boolean {
  const others = repo["other_unpushed"];
  const onlyOthers = Array.isArray(others) && others.length > 0 && !isAboveZero(repo["ahead"]);
  return repo["unpushed"] === true && !onlyOthers && !hasToken(repo, "MERGED");
}

/** Whether something follows work that is in the base branch already, which has more: first it goes on top of that. */
function isBeyondIntegrated(repo: Fields): boolean {
  return repo["mode"] === "RW" && asText(repo["landed"]) !== null &&
    (repo["dirty"] === true || isAhead(repo));
}

/**
 * Whether something is new on a branch whose work is merged. Changes on a branch that is where it was last
 * pushed from belong to another ticket, even where the base branch has nothing more. They do not where the
 * branch was moved on to that for them.
 */
export function isBeyondMerged(repo: Fields): boolean {
  const pushed = asText(asRecord(repo["last_push"])?.["commit"]);
  return isBeyondIntegrated(repo) || repo["mode"] === "RW" && repo["dirty"] === true &&
      hasToken(repo, "MERGED") && pushed !== null && pushed === repo["commit"];
}

/** Whether the remote, when asked, had commits of the branch that is checked out which are not here. */
export function isOvertaken(repo: Fields): boolean {
  const upstream = asText(repo["upstream"]) ?? "";
  return repo["remote"] === "changed" &&
    upstream.slice(upstream.indexOf("/") + 1) === repo["branch"];
}

/**
 * Whether another command than push brings what is ahead to the remote. A release that is only here goes with its tag;
 * commits that the remote was rewritten without are left out first.
 */
function hasOwnCommand(repo: Fields): boolean {
  return asRecords(repo["needs"]).map(({ fix }) => asText(fix) ?? "").some((fix) =>
    fix.startsWith("amof release train ") || / rebase (?:--autostash )?--onto /.test(fix)
  );
}

/** How a repository of a status would take part in a push. */
function pushPart(repo: Fields): PushPart {
  if (repo["mode"] !== "RW") return "none";
  const dirty = repo["dirty"] === true;
  // A merged branch may be gone at its remote, where a push would make it again.
  if (!dirty && !isAhead(repo)) return hasToken(repo, "MERGED") ? "held" : "none";
  if (
    isInTheMiddle(repo) || isUntrusted(repo) || isBeyondMerged(repo) ||
    HELD_BACK.some((token) => hasToken(repo, token)) || isFilledList(repo["secret_files"]) ||
    asText(repo["pushes_to"]) !== null || isFilledList(repo["nested_repositories"]) ||
    isFilledList(repo["unsent_submodules"]) || hasOwnCommand(repo)
  ) return "held";
  const base = asText(repo["base_branch"]);
  const isOnBase = base !== null && repo["branch"] === base;
  // A base branch that the remote has no more was renamed there, and would be made again; so would what was merged.
  const isGone = repo["upstream"] === `origin/${repo["branch"]}` && repo["behind"] === null;
  if (hasToken(repo, "NO_BASE") && (isOnBase || isGone)) return "held";
  // Somebody deleted it there although its work is nowhere else: whether it is made again is asked apart.
  if (isGone || isOvertaken(repo)) return "held";
  return dirty ? isOnBase ? "commit_base" : "commit" : isOnBase ? "push_base" : "push";
}

/** Whether a repository has commits or changes that a push takes, be it with flags. */
export function isPushed(repo: Fields, what: "ahead" | "dirty"): boolean {
  const is = what === "dirty" ? repo["dirty"] === true : isAhead(repo);
  return is && pushPart(repo) in PUSHES;
}

/** A push, and the repositories that it is about: these alone, or all without some. */
interface Push {
  readonly offer: typeof PUSHES[keyof typeof PUSHES];
  readonly names: readonly string[];
  readonly without: readonly string[];
}

/**
 * The push that takes what is there: of feature branches before base branches, of changes and commits at once. What another
 * would refuse is left out, since one refusal fails the whole. Base branches are named, so that nobody pushes one more
 * than was shown. Null where there is nothing that a push takes.
 */
export function pushOf({ data }: Situation): Push | null {
  const rows = asRecords(data["repos"]).map((repo) => ({
    name: asText(repo["name"]) ?? "",
    way: pushPart(repo),
  }));
  for (const [way, asked] of Object.entries(PUSHES)) {
    if (rows.every((row) => row.way !== way)) continue;
    const takes = [way, way.replace("commit", "push")];
    const taken = rows.filter((row) => takes.includes(row.way)).map(({ name }) => name);
    const without = rows.filter((row) => row.way !== "none" && !takes.includes(row.way))
      .map(({ name }) => name);
    const isBase = "args" in asked && "allow_base" in asked.args;
    // Whichever is said in fewer names.
    const isNamed = isBase || without.length > 0 && taken.length <= without.length;
    return { offer: asked, names: isNamed ? taken : [], without };
  }
  return null;
}

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
  // What lies elsewhere is moved back, and not made once more.
  "status.has_missing": anyRepo((repo) =>
    hasToken(repo, "MISSING") &&
    asRecords(repo["needs"]).every(({ fix }) => asText(fix)?.startsWith("mv ") !== true)
  ),
  "status.has_wrong_branch": anyRepo(isAstray),
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
  "release.has_unpushed": (situation) => isFilledList(resultOf(situation)["unpushed"]),
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
