/** The way of a repository to the branch that it should be on, where it is on another one or on none. */

import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import { useCommand, useText } from "../../git/mod.ts";
import type { RepoSnapshot } from "../../workspace/clones/mod.ts";
import { type WorkspaceState } from "../../workspace/mod.ts";
import { keepOn, listConflicts, pushWithJj, switchThere } from "./clone.ts";
import { isOwnState } from "../../workspace/tickets/mod.ts";
import { NO_TICKET, shortSha } from "../../base/ids.ts";

/** What is said of a branch that somebody deleted, of which there is nothing to bring back. */
const NOTHING_LOST = ", which was deleted; nothing of it is only here";

/** Something that a repository needs; a type alias, so that it counts as plain JSON. */
export type Need = {
  /** What is the matter. */
  readonly problem: string;
  /** The command that mends just that, to paste. */
  readonly fix: string;
};

/**
 * The way to another branch past changes that are in the way. Where they come back by themselves, they are kept for
 * the ticket of their branch, or for none. Else git keeps them, and has to be told to bring them back.
 */
function awayFirst(
  { repo, git, directory, ...seen }: Parameters<typeof headNeeds>[0],
  problem: string,
  state: WorkspaceState | null,
): Need {
  const branch = git?.branch ?? "";
  const of = branch === repo.branch
    ? NO_TICKET
    : Object.entries(state?.tickets ?? {}).find(([, { repos }]) =>
      Object.hasOwn(repos, repo.name) && repos[repo.name] === branch
    )?.[0];
  const to = state?.active_ticket ?? NO_TICKET;
  if (
    state !== null && seen.expectedFrom === null && !repo.readonly && of !== undefined && of !== to
  ) {
    return {
      problem: `${problem}, with changes, which are kept for ${
        of === NO_TICKET ? branch : cleanLine(of, 60)
      } first`,
      fix: [of, to].map((id) => `amof ticket switch ${shellWord(id)} --stash`).join("\n"),
    };
  }
  const back = branch === "" ? "" : `; on ${cleanLine(branch, 60)} git stash pop brings them back`;
  return {
    problem: `${problem}, with changes, which are put away first${back}`,
    fix: `git -C ${shellWord(directory)} stash push --include-untracked\n${
      switchThere({ repo, git, directory, ...seen })
    }`,
  };
}

/** A head that is on no branch, or on another than it should be, where nothing is in progress. */
export function headNeeds(
  seen: Pick<
    RepoSnapshot,
    | "repo"
    | "git"
    | "unpushed"
    | "loose"
    | "expectedBranch"
    | "expectedFrom"
    | "goesAlong"
    | "barred"
    | "inProgress"
    | "occupied"
    | "jj"
    | "directory"
  >,
  isAstray: boolean,
  /** The state of the base workspace, where its tickets can be switched as things stand: they keep work for its branch. */
  switchable: WorkspaceState | null = null,
): Need[] {
  const {
    git,
    unpushed,
    loose,
    expectedBranch,
    goesAlong,
    barred,
    inProgress,
    occupied,
    jj,
    directory,
  } = seen;
  if (git === null || inProgress !== null) return [];
  const at = `git -C ${shellWord(directory)}`;
  const way = switchThere(seen);
  // A sync by itself goes nowhere, and says what there is to go to.
  const goes = way.includes("\n") || !way.startsWith("amof ");
  const isChanged = git.changes.length > 0 && !jj && goes;
  // There is nothing yet that git could keep changes on top of.
  const isUnborn = git.head === null;
  const comeBack = (problem: string): Need[] => [
    occupied?.branch === expectedBranch
      ? { problem: `${problem}; ${useText(occupied)}`, fix: useCommand(occupied, directory) }
      // Before they are resolved git goes nowhere.
      : git.changes.some(({ conflicted }) => conflicted)
      ? { problem, fix: listConflicts(directory) }
      : isUnborn && barred.length > 0
      ? {
        problem: `${problem}, which has ${few(barred, 3)}, too: kept on ${
          cleanLine(git.branch ?? "HEAD", 60)
        } first`,
        fix: `${keepOn(directory, null, barred)}\n${way}`,
      }
      : isChanged && goesAlong !== true && !isUnborn
      // Git does not go where a change is in the way.
      ? awayFirst(seen, problem, switchable)
      : {
        problem: isChanged ? `${problem}, with changes, which go along` : problem,
        fix: way,
      },
  ];
  if (git.branch !== null) {
    const { deleted: lost, renamed } = seen.expectedFrom ?? {};
    const deleted = renamed !== undefined && renamed !== git.branch
      ? `, which is called ${cleanLine(renamed, 60)} now`
      : lost === undefined
      ? ""
      : lost === 0
      ? NOTHING_LOST
      : `, which was deleted with ${count(lost, "commit")} that ${
        lost === 1 ? "is" : "are"
      } nowhere else`;
    return isAstray
      ? comeBack(`on ${cleanLine(git.branch, 60)} instead of ${expectedBranch}${deleted}`)
      : [];
  }
  if (jj) {
    const problem = "no branch is checked out, as jj has it";
    return unpushed > 0
      ? [{
        problem: `${problem}; ${count(unpushed, "commit")} to push`,
        fix: pushWithJj(directory),
      }]
      : comeBack(problem);
  }
  return loose > 0
    ? [{
      problem: `${count(loose, "commit")} on no branch`,
      fix: `${at} switch --create kept-${shortSha(git.head)}`,
    }]
    : comeBack("no branch is checked out");
}

/** The end of the active ticket in a repository in which somebody deleted its branch; a workspace of its own ends as a whole. */
export function deletedEnd(
  { repo, git, expectedBranch, expectedFrom, inProgress }: Pick<
    RepoSnapshot,
    "repo" | "git" | "expectedBranch" | "expectedFrom" | "inProgress"
  >,
  state: WorkspaceState | null,
): Need[] {
  const id = state?.active_ticket ?? null;
  const lost = expectedFrom?.deleted;
  if (
    id === null || state === null || isOwnState(state) || lost === undefined || git === null ||
    git.branch === null || inProgress !== null
  ) return [];
  const problem = lost === 0
    ? `on ${cleanLine(git.branch, 60)} instead of ${expectedBranch}${NOTHING_LOST}`
    : "or end the ticket there, without its commits";
  return [{ problem, fix: `amof ticket end ${shellWord(id)} --repo ${repo.name}` }];
}

/** What a command on the way does that goes to no branch. */
const PASSING: readonly (readonly [command: RegExp, words: string])[] = [
  [/ branch -m /, "give its branch the name back"],
  [/ switch --create kept-/, "keep what is on no branch"],
  [/ diff --name-only --diff-filter=U$/, "see what is to be resolved"],
  [/^[a-z]+ sync\b/, "get the branches of its remote"],
  [/ remote set-branches /, "let git fetch that branch"],
  [/ add -- /, "stage what is in the way"],
  [/ commit --message /, "keep it in a commit"],
  [/ stash push /, "put its changes away"],
  [/ worktree prune$/, "forget the worktree that is gone"],
  [/ rebase --continue$/, "finish what is under way there"],
  [/ bisect reset$/, "end what is under way there"],
  [/ switch --detach$/, "leave the branch there"],
];

/** The way to its branch as a hint, a command a line, each with words for what it does; `words` are those of the last. */
export function checkoutHint(need: Need | undefined, words: string): string {
  const lines = (need?.fix ?? "").split("\n");
  return lines.map((line, at) => {
    const known = PASSING.find(([command]) => command.test(line))?.[1];
    return `${known ?? (at < lines.length - 1 ? "put its changes away" : words)}: ${line}`;
  }).join("\n");
}

/** The command that brings base branches forward, of all without names, in the workspace that the repositories are in. */
export function syncOf(names: readonly string[], state: WorkspaceState | null): string {
  return `amof sync${names.length === 0 ? "" : ` --repo ${names.join(",")}`}${
    inWorkspaceOf(state)
  }`;
}

/**
 * What gives a clone the address of the manifest, with the sync that fetches from there: what was fetched before is of the
 * other one.
 */
export function mendAndSync(fix: string, address: string, sync: string): string {
  return address !== "" && fix.startsWith("git ") ? `${fix}\n${sync}` : fix;
}

/** What says that a command is meant in the workspace of a ticket, where the repositories are in one. */
export function inWorkspaceOf(state: WorkspaceState | null): string {
  const own = state !== null && isOwnState(state) ? state.active_ticket : null;
  return own === null ? "" : ` --ticket ${shellWord(own)}`;
}
