/** What a program has done to the repositories of a ticket: how they stood before, and how they stand now. */

import { inPool } from "../../base/async/pool.ts";
import { AmofError } from "../../base/error.ts";
import type { Git } from "../../git/mod.ts";

/** A repository that a program can work on. */
export interface AgentRepo {
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
}

/** How one stands; null where it is not there or cannot be read. */
type Stand = {
  readonly branch: string | null;
  /** Null where it has no commit. */
  readonly head: string | null;
  /** Paths that are not as they were committed. */
  readonly changed: readonly string[];
} | null;

/** What became of one. */
export interface AgentRow {
  readonly name: string;
  /** Whether anything is not as it was before: commit, branch, or which files differ from it. */
  readonly touched: boolean;
  readonly branch: { readonly before: string | null; readonly after: string | null };
  readonly head: { readonly before: string | null; readonly after: string | null };
  /** Commits that were not there before; null where git cannot tell. */
  readonly commits: number | null;
  /** Files that differ from the commit that was there before, at most so many of them named. */
  readonly files: number;
  readonly named: readonly string[];
  /** How many of them did so before already. */
  readonly before: number;
  /** Why it could not be read afterwards, or null. */
  readonly problem: string | null;
}

/** How many files of a repository are named. */
const NAMED = 20;
/** How many repositories are looked at at once. */
const AT_ONCE = 4;

/** Looks at the repositories as they stand; what cannot be read is null. */
export function standOf(git: Git, repos: readonly AgentRepo[]): Promise<readonly Stand[]> {
  return inPool(AT_ONCE, repos, async ({ name, directory }): Promise<Stand> => {
    try {
      const { branch, head, changes } = await git.at(directory, name).status("all");
      return { branch, head, changed: changes.map(({ path }) => path) };
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      return null;
    }
  });
}

/** Compares with how one stood before. */
async function compared(
  git: Git,
  { name, directory }: AgentRepo,
  before: Stand,
): Promise<AgentRow> {
  const repository = git.at(directory, name);
  const old = { branch: before?.branch ?? null, head: before?.head ?? null };
  try {
    const { branch, head, changes } = await repository.status("all");
    const moved = old.head !== head;
    const differing = old.head !== null && (moved || changes.length > 0)
      ? await repository.differences.find({
        of: { files: old.head },
        patches: null,
        paths: [],
      })
      : null;
    const files = new Set([
      ...differing?.files.map(({ path }) => path) ?? [],
      ...changes.filter(({ code }) => code === "??" || differing === null).map(({ path }) => path),
    ]);
    const known = new Set(before?.changed ?? []);
    const again = [...files].filter((path) => known.has(path)).length;
    return {
      name,
      touched: moved || old.branch !== branch || again < files.size || again < known.size,
      branch: { before: old.branch, after: branch },
      head: { before: old.head, after: head },
      commits: !moved
        ? 0
        : old.head === null || head === null
        ? null
        : await repository.history.countBetween(old.head, head),
      files: files.size,
      named: [...files].toSorted().slice(0, NAMED),
      before: again,
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return {
      name,
      touched: before !== null,
      branch: { before: old.branch, after: null },
      head: { before: old.head, after: null },
      commits: null,
      files: 0,
      named: [],
      before: 0,
      problem: error.message,
    };
  }
}

/** Compares all of them with how they stood before. */
export function lookAgain(
  git: Git,
  repos: readonly AgentRepo[],
  before: readonly Stand[],
): Promise<readonly AgentRow[]> {
  return inPool(
    AT_ONCE,
    repos.map((repo, index) => ({ repo, stand: before[index] ?? null })),
    ({ repo, stand }) => compared(git, repo, stand),
  );
}
