/**
 * What `amof status --long` looks up besides: the last commit.
 *
 * Costs one git process per repository.
 */

import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import type { RepoSnapshot } from "../../workspace/clones/mod.ts";

/** What is only told on request. */
export interface Closer {
  /** The commit that is checked out; null where there is none. */
  readonly last_commit: { readonly subject: string; readonly committed_at: string } | null;
}

const NOTHING: Closer = { last_commit: null };

/** Looks closer at a repository that can be read; one that breaks meanwhile says nothing more. */
export async function lookCloser(
  { git }: Pick<CommandContext, "git">,
  { git: seen, directory, repo }: RepoSnapshot,
): Promise<Closer> {
  if (seen === null || seen.head === null) return NOTHING;
  try {
    const { subject, committedMs } = await git.at(directory, repo.name).history.last();
    return { last_commit: { subject, committed_at: timestamp(committedMs) } };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return NOTHING;
  }
}
