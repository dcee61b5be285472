/** Uncommitted changes that were put away for a ticket, as an entry of git's list of stashes (TICKET-5). */

import type { Git } from "../../git/mod.ts";
import type { RepoSnapshot } from "../clones/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import { isOwnState, type WorkspaceState } from "../state.ts";

/** The message of the stash that keeps a ticket's uncommitted work; that of no ticket is called `main`. */
export function stashName(ticket: string): string {
  return `amof:${ticket}`;
}

/** What the changes of the active ticket are kept as in a clone that is on its branch; null for none. One process where it has stashes. */
export async function keptHere(
  git: Git,
  { repo, directory, git: seen, expectedBranch }: Pick<
    RepoSnapshot,
    "repo" | "directory" | "git" | "expectedBranch"
  >,
  state: WorkspaceState | null,
): Promise<string | null> {
  const ticket = state?.active_ticket ?? null;
  const isThere = seen !== null && seen.stashes > 0 && seen.branch === expectedBranch;
  if (ticket === null || !isThere || state?.tickets[ticket]?.repos[repo.name] === undefined) {
    return null;
  }
  const name = stashName(ticket);
  return await git.at(directory, repo.name).stashes.find(name) === null ? null : name;
}

/** The command that gives changes of the active ticket back that were put away, in one of its repositories. */
export function giveBackCommand(repo: string, state: WorkspaceState | null): string {
  const own = state !== null && isOwnState(state) ? state.active_ticket : null;
  return `amof ticket update --continue --repo ${repo}${
    own === null ? "" : ` --ticket ${shellWord(own)}`
  }`;
}
