/** The way of a repository to the branch that it should be on, where it is on another one or on none. */

import { cleanLine } from "../../base/text/sanitize.ts";
import { count, shellWord } from "../../base/text/words.ts";
import { useCommand, useText } from "../../git/mod.ts";
import type { RepoSnapshot } from "../../workspace/clones/mod.ts";
import { listConflicts, pushWithJj, switchThere } from "../../workspace/mod.ts";

/** Something that a repository needs; a type alias, so that it counts as plain JSON. */
export type Need = {
  /** What is the matter. */
  readonly problem: string;
  /** The command that mends just that, to paste. */
  readonly fix: string;
};

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
    | "inProgress"
    | "occupied"
    | "jj"
    | "directory"
  >,
  isAstray: boolean,
): Need[] {
  const {
    git,
    unpushed,
    loose,
    expectedBranch,
    expectedFrom,
    goesAlong,
    inProgress,
    occupied,
    jj,
    directory,
  } = seen;
  if (git === null || inProgress !== null) return [];
  const at = `git -C ${shellWord(directory)}`;
  const isChanged = git.changes.length > 0 && !jj && expectedFrom?.ref !== "";
  const comeBack = (problem: string): Need[] => [
    occupied?.branch === expectedBranch
      ? { problem: `${problem}; ${useText(occupied)}`, fix: useCommand(occupied, directory) }
      // Before they are resolved git goes nowhere.
      : git.changes.some(({ conflicted }) => conflicted)
      ? { problem, fix: listConflicts(directory) }
      : isChanged && goesAlong !== true
      // Git does not go where a change is in the way.
      ? {
        problem: `${problem}, with changes, which are put away first`,
        fix: `${at} stash push --include-untracked\n${switchThere(seen)}`,
      }
      : {
        problem: isChanged ? `${problem}, with changes, which go along` : problem,
        fix: switchThere(seen),
      },
  ];
  if (git.branch !== null) {
    return isAstray ? comeBack(`on ${cleanLine(git.branch, 60)} instead of ${expectedBranch}`) : [];
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
      fix: `${at} switch --create kept-${git.head?.slice(0, 7) ?? ""}`,
    }]
    : comeBack("no branch is checked out");
}

/** The way to its branch as a hint, a command a line, each with words in front. */
export function wayThere(need: Need | undefined, words: string): string {
  const lines = (need?.fix ?? "").split("\n");
  return lines.map((line, at) =>
    `${at < lines.length - 1 ? "put its changes away" : words}: ${line}`
  ).join("\n");
}
