/** What changes need that are put away in a repository, with the command for just that. */

import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import type { RepoSnapshot } from "../../workspace/clones/mod.ts";
import type { WorkspaceState } from "../../workspace/mod.ts";
import { type StrayKept } from "../../workspace/tickets/mod.ts";
import { giveBackCommand } from "./command_lines.ts";
import type { Need } from "./head.ts";

type Kept = Pick<RepoSnapshot, "repo" | "directory" | "git" | "inProgress">;

/** Of so many branches it is said that changes of theirs are put away. */
const MOST = 3;

/** Changes of the active ticket that were put away, and could not be given back so far. */
export function keptNeeds(
  { repo, inProgress }: Kept,
  state: WorkspaceState | null,
  kept: string | null,
): Need[] {
  return kept === null || inProgress !== null ? [] : [{
    problem: `changes of the ticket are put away as ${kept}`,
    fix: giveBackCommand(repo.name, state),
  }];
}

/** Changes that were put away on a branch of no ticket, to which they go back. */
export function astrayNeeds(
  { directory, git, inProgress }: Kept,
  astray: readonly StrayKept[],
): Need[] {
  const at = `git -C ${shellWord(directory)}`;
  // Nobody goes there with other changes, which would go along.
  const isBusy = inProgress !== null || (git?.changes.length ?? 0) > 0;
  return astray.slice(0, MOST).map(({ branch, stash, isThere }) => {
    const back = `${at} stash pop ${stash}`;
    const go = `${at} switch ${shellWord(branch)}\n${back}`;
    return {
      problem: `changes of ${cleanLine(branch, 60)} are put away`,
      fix: isBusy
        ? `${at} stash show --include-untracked ${stash}`
        : git?.branch === branch
        ? back
        : isThere
        ? go
        : `${at} stash branch ${shellWord(branch)} ${stash}`,
    };
  });
}
