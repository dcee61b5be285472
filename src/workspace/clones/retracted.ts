/**
 * Commits that the remote of a base branch removed by a rewrite, such as one with a password in it, while a
 * branch here was begun on them. A merge, and a push, would bring them back (WORKSPACE-30).
 */

import { type Sha, sha, shortSha } from "../../base/ids.ts";
import type { Repository } from "../../git/mod.ts";
import { shellWord } from "../../base/text/words.ts";

/** More commits than are looked through. */
const MOST = 1_000;

/**
 * The last commit of a branch that its base branch `ref` had and was rewritten without. Null where there is none, and
 * where work that was done on the branch is among them: that must not be left out. No process where the base branch
 * was never rewritten, else up to ten.
 */
export async function retractedIn(
  { history, refs }: Repository,
  { branch, commit, ref }: {
    readonly branch: string;
    readonly commit: string;
    readonly ref: string;
  },
): Promise<Sha | null> {
  for (const was of await refs.replaced(ref)) {
    const until = await history.meeting(was, commit);
    const gone = until === null ? [] : await history.uncovered([until], [ref], MOST);
    if (until === null || gone.length === 0 || gone.length === MOST) continue;
    const made = await refs.madeOn(branch, ref);
    return made === null || gone.some(({ commit: id }) => made.has(id)) ? null : sha(until);
  }
  return null;
}

/** Whether a commit is one that a remote-tracking branch had, and was rewritten without. No process where it never was, else up to five. */
export async function isRetracted(
  { history, refs }: Repository,
  { commit, ref }: { readonly commit: string; readonly ref: string },
): Promise<boolean> {
  for (const was of await refs.replaced(ref)) {
    if (was === commit || await history.meeting(was, commit) === commit) return true;
  }
  return false;
}

/** What is said of a branch with such commits, and the command that puts what follows on top of its base branch. */
export function retractedWords(
  until: string,
  { directory, upstream, changed }: {
    readonly directory: string;
    readonly upstream: string;
    /** Whether tracked files have changes. */
    readonly changed: boolean;
  },
): { readonly note: string; readonly fix: string } {
  return {
    note: `it has commits that ${upstream} was rewritten without, up to ${shortSha(until)}`,
    fix: `git -C ${shellWord(directory)} rebase${changed ? " --autostash" : ""} --onto ${
      shellWord(upstream)
    } ${until}`,
  };
}
