/** Why a push or a commit leaves a repository out, and what would let it take part. */

import { type ErrorCode, toAmofError } from "../../base/error.ts";
import type { ChangedPath } from "../../git/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, fixLine, remedies, sharedRemedies } from "../../base/text/words.ts";
import { touchText } from "../../workspace/manifest/mod.ts";
import { flagsFor, joining, touchFix } from "../advice/command_lines.ts";
import { inPoolOf, type WorkspaceState } from "../../workspace/mod.ts";
import { finishThere, listConflicts, unreadText } from "../advice/clone.ts";
import type { RepoRow } from "../../contract/outcome.ts";
import { nestedRepositories, type RepoSnapshot } from "../../workspace/clones/mod.ts";
import { isOwnState } from "../../workspace/tickets/mod.ts";
import { suspectsText } from "../../workspace/seals/mod.ts";
import { checkoutHint, headNeeds } from "../advice/head.ts";
import type { Held } from "./contents.ts";

/** Why a repository is left out. */
type SkipReason =
  | "readonly"
  | "missing"
  | "nothing_to_push"
  | "nothing_to_commit"
  | "dirty"
  | "base_branch"
  | "release"
  | "branch_gone"
  | "merged"
  | "landed"
  | "wrong_branch"
  | "detached"
  | "in_progress"
  | "conflicted"
  | "diverged"
  | "no_remote"
  | "other_remote"
  | "other_repo"
  | "no_part"
  | "no_touch"
  | "secret_files"
  | "nested_repository"
  | "submodule_unpushed"
  | "untrusted"
  | "unreadable";

/** The reasons that hold work back, with the code of the failure and what would let it go. */
export type Blocking = Readonly<
  Partial<Record<SkipReason, { readonly code: ErrorCode; readonly fix: string }>>
>;

/** A repository that is left out. */
export interface SkipFact {
  readonly name: string;
  readonly branch: string;
  readonly reason: SkipReason;
  readonly detail: string;
  /** Whether work is held back. */
  readonly blocked: boolean;
  /** What would let it go, or null. */
  readonly fix: string | null;
  /** Whether the active ticket does not have the repository, though it has others that were looked at; absent where not. */
  readonly elsewhere?: true;
  /** Whether it has commits all the same that this cannot take along; absent where not. */
  readonly unpushed?: true;
}

/** A repository that is left out for a reason. */
type Skip = (
  snapshot: RepoSnapshot,
  why: SkipReason,
  detail: string,
  fix?: string | null,
) => SkipFact;

/** Makes the function that leaves repositories out, where these reasons hold work back. */
export function skipFor(blocking: Blocking): Skip {
  return (snapshot, why, detail, fix = blocking[why]?.fix ?? null) => ({
    name: snapshot.repo.name,
    branch: snapshot.git?.branch ?? (snapshot.git === null ? "-" : "HEAD"),
    reason: why,
    detail,
    blocked: blocking[why] !== undefined,
    fix,
  });
}

/** What a row says of a repository that was left out. */
export function skipped(
  { name, branch, reason, detail, fix }: SkipFact,
  blocking: Blocking,
): RepoRow & { readonly result: "skipped"; readonly branch: string } {
  return { name, result: "skipped", branch, detail, code: blocking[reason]?.code ?? null, fix };
}

/** A row of work that is held back where that is no failure: it is told. */
export function reportedRow<R extends RepoRow>(row: R): R & { readonly held: true } {
  return { ...row, code: null, held: true };
}

/** Decides about each repository; one that cannot be looked at holds back only itself. */
export async function decideEach<F extends object>(
  ctx: CommandContext,
  skip: Skip,
  snapshots: readonly RepoSnapshot[],
  decide: (snapshot: RepoSnapshot) => Promise<F | SkipFact>,
): Promise<{ readonly going: readonly F[]; readonly skipped: readonly SkipFact[] }> {
  const decided = await inPoolOf(ctx, "checking", snapshots, async (snapshot) => {
    try {
      return await decide(snapshot);
    } catch (thrown) {
      const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
      return skip(snapshot, "unreadable", unreadText(error), error.hint);
    }
  });
  const isSkip = (fact: F | SkipFact): fact is SkipFact => "reason" in fact;
  return {
    going: decided.filter((fact): fact is F => !isSkip(fact)),
    skipped: decided.filter(isSkip),
  };
}

/** Why nothing can be done in a repository whatever is asked for, or null. `done` is what never happens to it. */
export function unusable(
  { skip, done }: { readonly skip: Skip; readonly done: "pushed" | "committed" },
  snapshot: RepoSnapshot,
): SkipFact | null {
  const { repo, git } = snapshot;
  if (repo.readonly) {
    return skip(
      snapshot,
      "readonly",
      done === "pushed" ? "read-only repositories are never pushed" : "read-only",
    );
  }
  if (snapshot.missing) {
    return skip(snapshot, "missing", "not cloned", `clone it: amof sync --repo ${repo.name}`);
  }
  if (git !== null) return null;
  return skip(snapshot, "unreadable", unreadText(snapshot.error), snapshot.error?.hint);
}

/** Why a repository that is on a branch cannot be worked with as it stands, or null. */
export function reasonToSkip(
  skip: Skip,
  snapshot: RepoSnapshot,
  branch: string,
  state: WorkspaceState | null,
): SkipFact | null {
  const { repo, git } = snapshot;
  if (snapshot.untrusted.length > 0 && !snapshot.confined) {
    const why = suspectsText(snapshot.untrusted);
    return skip(snapshot, "untrusted", why, `look at it: amof repo trust ${repo.name}`);
  }
  const { inProgress, directory, updating } = snapshot;
  if (inProgress !== null) {
    const conflicted = git?.changes.some((change) => change.conflicted) ?? false;
    const fix = finishThere({ name: repo.name, directory, inProgress, updating, conflicted });
    return skip(snapshot, "in_progress", `a ${inProgress} is in progress`, fix);
  }
  // Before they are resolved git goes nowhere.
  if (git?.changes.some((change) => change.conflicted) === true) {
    const fix = `see what is to be resolved: ${listConflicts(directory)}`;
    return skip(snapshot, "conflicted", "files have conflicts", fix);
  }
  const tracked = state?.tickets[state.active_ticket ?? ""]?.repos[repo.name] !== undefined;
  return tracked && branch !== snapshot.expectedBranch && branch !== repo.branch
    ? skip(
      snapshot,
      "wrong_branch",
      `on ${cleanLine(branch, 60)} instead of ${snapshot.expectedBranch}`,
      checkoutHint(
        headNeeds(snapshot, true, state === null || isOwnState(state) ? null : state)[0],
        "go to its branch",
      ),
    )
    : null;
}

/** Why these changes cannot be committed: repositories inside it that others could not get; null when there are none. */
export async function nested(
  ctx: CommandContext,
  skip: Skip,
  snapshot: RepoSnapshot,
  changes: readonly ChangedPath[],
): Promise<SkipFact | null> {
  const paths = await nestedRepositories(ctx.system, snapshot.directory, changes);
  if (paths.length === 0) return null;
  const shown = paths.slice(0, 3).map((path) => cleanLine(path, 80)).join(", ");
  const rest = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
  return skip(
    snapshot,
    "nested_repository",
    `holds repositories that are not submodules: ${shown}${rest}; a commit would only name them`,
  );
}

/**
 * How changes and commits on a base branch come to where they belong: to the branch that the active ticket has there, else into a
 * ticket.
 */
export function belonging(
  snapshot: RepoSnapshot,
  state: WorkspaceState | null,
  perTicket: boolean,
): readonly string[] {
  const { repo, expectedBranch } = snapshot;
  const isTracked = state?.tickets[state.active_ticket ?? ""]?.repos[repo.name] !== undefined;
  if (!isTracked || expectedBranch === repo.branch) return joining(snapshot, state, { perTicket });
  const [need] = headNeeds(snapshot, true, isOwnState(state) ? null : state);
  return [checkoutHint(need, "go to its branch")];
}

/** Holds a repository back because of files that must not go; `again` is the command that would take them. */
export function hold(
  { skip, done, again }: {
    readonly skip: Skip;
    readonly done: "pushed" | "committed";
    readonly again: string;
  },
  snapshot: RepoSnapshot,
  { reason, paths, touches }: Held,
): SkipFact {
  if (reason === "no_touch") {
    return skip(
      snapshot,
      reason,
      `no-touch paths: ${touchText(touches)}`,
      touchFix(touches, again, done),
    );
  }
  const shown = paths.slice(0, 3).map((path) => cleanLine(path, 80)).join(", ");
  return skip(
    snapshot,
    reason,
    `new files that look secret: ${shown}${
      paths.length > 3 ? ` and ${count(paths.length - 3, "more file")}` : ""
    }`,
    `add them to .gitignore\nlet them go: amof ${again} ${flagsFor("--allow-secret", paths)}`,
  );
}

/** What is left out, with which of it lies outside of the active ticket, where any that was looked at is of the ticket. */
export function placed(
  skipped: readonly SkipFact[],
  state: WorkspaceState | null,
  looked: readonly RepoSnapshot[],
): SkipFact[] {
  const own = state?.tickets[state.active_ticket ?? ""]?.repos ?? {};
  const isOwn = (name: string) => Object.hasOwn(own, name);
  const isAbout = looked.some(({ repo }) => isOwn(repo.name));
  return skipped.map((fact) => !isAbout || isOwn(fact.name) ? fact : { ...fact, elsewhere: true });
}

/** What is said of repositories outside of the ticket that were left out: each remedy once, for all that it helps. */
export function leftOutLines(
  rows: Parameters<typeof sharedRemedies>[0],
  what = "held back",
): string[] {
  return sharedRemedies(rows).map(({ fix, names }) =>
    `⚠ ${few(names, 3)}: ${what}${fixLine(remedies([fix]).join("\n"))}`
  );
}
