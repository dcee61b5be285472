/** What a push is asked for, and what makes it leave a repository out. */

import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import type { GuardInput } from "../../workspace/manifest/mod.ts";
import type { MergedAs, RepoSnapshot } from "../../workspace/clones/mod.ts";
import type { WorkspaceState } from "../../workspace/mod.ts";
import type { Selecting } from "../selection/mod.ts";
import type { RepoRow } from "../../contract/outcome.ts";
import { strayedWords } from "../outgoing/strayed.ts";
import type { OfPullRequest } from "../outgoing/contents.ts";
import { type Blocking, reportedRow, type SkipFact, skipFor, skipped } from "../outgoing/skip.ts";

/** How the detail of a row ends whose push was cut off, and of which its remote did not tell either. */
export const UNSURE = "whether it arrived is unknown";

/** How an answer begins where nothing is known to have arrived: not the same as that nothing has. */
export function nothingGone(rows: readonly { readonly detail: string }[]): string {
  return rows.some(({ detail }) => detail.endsWith(UNSURE))
    ? "Nothing is known to have arrived"
    : "Pushed nothing";
}

/** The remote that is pushed to. */
export const REMOTE = "origin";

/** What a push is asked for. */
export interface PushInput extends GuardInput, Selecting {
  readonly message?: string | undefined;
  readonly allow_secrets?: readonly string[] | undefined;
  readonly commit: boolean;
  readonly allow_base: boolean;
  readonly allow_merged?: boolean | undefined;
}

/** The reasons that hold work back which was meant to be pushed. */
export const BLOCKED: Blocking = {
  dirty: {
    code: "repo_dirty",
    fix: "let the push commit the changes: amof push --commit",
  },
  base_branch: {
    code: "push_refused",
    fix: "push it all the same: amof push --allow-base",
  },
  release: { code: "push_refused", fix: "push it with its tag: amof release train promote" },
  branch_gone: {
    code: "push_refused",
    fix: "look what became of it there",
  },
  merged: {
    code: "push_refused",
    fix: "make the branch again all the same: amof push --allow-merged",
  },
  landed: { code: "push_refused", fix: "bring it on top of the base branch: amof ticket update" },
  wrong_branch: { code: "push_refused", fix: "switch to the ticket's branch" },
  detached: { code: "push_refused", fix: "switch to a branch" },
  in_progress: { code: "repo_in_progress", fix: "finish or abort the operation" },
  conflicted: { code: "repo_in_progress", fix: "resolve the conflicts" },
  diverged: { code: "repo_diverged", fix: "integrate the remote's commits first" },
  no_remote: { code: "push_refused", fix: `add the remote "${REMOTE}"` },
  other_remote: { code: "push_refused", fix: "push it there with git" },
  other_repo: { code: "push_refused", fix: "mend the address of its origin" },
  no_part: { code: "push_refused", fix: "push it by its name" },
  no_touch: { code: "push_refused", fix: "take them out of what is pushed" },
  secret_files: { code: "push_refused", fix: "add them to .gitignore" },
  nested_repository: {
    code: "push_refused",
    fix: "name them in .gitignore, or make them submodules: git submodule add URL PATH",
  },
  submodule_unpushed: { code: "push_refused", fix: "push the submodules first" },
  untrusted: { code: "clone_untrusted", fix: "look at it: amof status" },
  unreadable: { code: "git_failed", fix: "look at the error above" },
};

/** A repository that a push leaves out for a reason. */
export const skip = skipFor(BLOCKED);

/**
 * The repositories of the active ticket, where a push is that of the ticket: somebody who names others means them. Null
 * where all that is looked at goes.
 */
export function ticketsOwn(
  { repos = [], tags = [] }: Selecting,
  state: WorkspaceState | null,
  looked: readonly RepoSnapshot[],
): ReadonlySet<string> | null {
  if ([...repos, ...tags].some((word) => !word.startsWith("!"))) return null;
  const own = new Set(Object.keys(state?.tickets[state.active_ticket ?? ""]?.repos ?? {}));
  return looked.some(({ repo }) => own.has(repo.name)) ? own : null;
}

/** Holds back what is no part of the ticket whose push it is. */
export function noPart(
  snapshot: RepoSnapshot,
  branch: string,
  { input, state }: { readonly input: PushInput; readonly state: WorkspaceState | null },
): SkipFact {
  return skip(
    snapshot,
    "no_part",
    `on ${cleanLine(branch, 60)}, and no part of ${state?.active_ticket ?? "the ticket"}`,
    `push it by its name: amof ${pushAgain(snapshot.repo.name, input)}`,
  );
}

/** Holds back what would go into the remote of another repository of the manifest. */
export function strayed(
  snapshot: RepoSnapshot,
  terms: Parameters<typeof strayedWords>[1],
): SkipFact | null {
  const words = strayedWords(snapshot, terms);
  if (words === null) return null;
  return skip(snapshot, "other_repo", `it would go to ${words.other}: ${words.said}`, words.fix);
}

/** The command that pushes one repository the same way. */
export function pushAgain(repo: string, input: PushInput): string {
  const {
    message,
    commit,
    allow_base: base,
    allow_merged: merged,
    allow_secrets: secrets = [],
    allow_no_touch: touches = [],
    repos: _repos,
    tags: _tags,
    only: _only,
    ...forgotten
  } = input;
  // What a push is asked for and would not be asked for again does not compile.
  forgotten satisfies Readonly<Record<string, never>>;
  return [
    `push --repo ${repo}`,
    ...(commit ? ["--commit"] : []),
    ...(message === undefined ? [] : [`-m ${shellWord(message)}`]),
    ...(base ? ["--allow-base"] : []),
    ...(merged === true ? ["--allow-merged"] : []),
    ...secrets.map((glob) => `--allow-secret ${shellWord(glob)}`),
    ...touches.map((glob) => `--allow-no-touch ${shellWord(glob)}`),
  ].join(" ");
}

/**
 * Whether a push fails by what is held back in a repository. Where it is none of the ticket's it is told and no more: the
 * push is that of the ticket, whose branches have arrived. So is a merged branch where others have `arrived`.
 */
export function isFailure(
  { blocked, elsewhere, reason }: Pick<SkipFact, "blocked" | "elsewhere" | "reason">,
  arrived: boolean,
): boolean {
  return blocked && elsewhere !== true && !(reason === "merged" && arrived);
}

/** Why a branch is not made again at its remote. */
export function mergedText(as: MergedAs, branch: string, base: string): string {
  const into = cleanLine(base, 60);
  // Whether it was squashed, rebased or picked, nobody can see.
  const how = {
    commits: `merged into ${into}`,
    squashed: `in ${into} as one commit`,
    rebased: `in ${into} commit by commit`,
    content: `merged into ${into}`,
  }[as];
  const name = cleanLine(branch, 60);
  return `${name} is ${how}, and ${REMOTE}/${name} is gone`;
}

/** What came of one repository. */
export interface PushRow extends RepoRow, OfPullRequest {
  readonly result: "pushed" | "skipped" | "failed";
  readonly branch: string;
  readonly commits: number;
  readonly commit: string | null;
  /** Set where work of it is held back, which is no failure of this push. */
  readonly held?: true;
}

/** The row of a repository that was left out, where anything else has `arrived` or not. */
export function skippedRow(fact: SkipFact, arrived: boolean): PushRow {
  const row = { ...skipped(fact, BLOCKED), commits: 0, commit: null };
  // What is in a clone that is not there nobody knows.
  const isTold = fact.unpushed === true || fact.reason === "missing" ||
    fact.blocked && !isFailure(fact, arrived);
  return isTold ? reportedRow(row) : row;
}
