/**
 * What `amof status --long` looks up besides: the last commit, and other branches that were not pushed.
 *
 * Costs one git process per repository, one more where a branch has no upstream that could tell, and one where
 * the head is detached.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import type { CommandContext } from "../contract/mod.ts";
import { timestamp } from "../system/mod.ts";
import type { RepoSnapshot } from "../workspace/mod.ts";

/** A local branch besides the one that is checked out, with commits that no remote has. */
interface UnpushedBranch {
  readonly branch: string;
  /** Commits that its upstream does not have; null without one. */
  readonly ahead: number | null;
}

/** What is only told on request. */
export interface Closer {
  /** The commit that is checked out; null where there is none. */
  readonly last_commit: { readonly subject: string; readonly committed_at: string } | null;
  readonly other_unpushed: readonly UnpushedBranch[];
}

const NOTHING: Closer = { last_commit: null, other_unpushed: [] };

/** Looks closer at a repository that can be read; one that breaks meanwhile says nothing more. */
export async function lookCloser(
  { git }: Pick<CommandContext, "git">,
  { git: seen, directory, repo }: RepoSnapshot,
): Promise<Closer> {
  if (seen === null) return NOTHING;
  const repository = git.at(directory, repo.name);
  try {
    const tips = await repository.branches.tips();
    const others = tips.filter(({ isCurrent }) => !isCurrent);
    // A branch without upstream may have been pushed under another name, or merged.
    const unsure = others.some(({ ahead }) => ahead === null);
    const unpushed = unsure ? await repository.history.unpushedTips() : new Set<string>();
    const current = seen.head === null
      ? null
      : tips.find(({ isCurrent }) => isCurrent) ?? await repository.history.last();
    return {
      last_commit: current === null
        ? null
        : { subject: current.subject, committed_at: timestamp(current.committedMs) },
      other_unpushed: others
        .filter(({ ahead, commit }) => ahead === null ? unpushed.has(commit) : ahead > 0)
        .map(({ name, ahead }) => ({ branch: name, ahead })),
    };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return NOTHING;
  }
}
