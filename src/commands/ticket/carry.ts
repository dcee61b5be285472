/** Uncommitted work that goes along to a new ticket, as `git switch --create` takes it (TICKET-18). */

import { stashName } from "../../workspace/tickets/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, list, shellWord } from "../../base/text/words.ts";
import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import {
  changesDigest,
  conflictingPaths,
  inspectRepos,
  type RepoSnapshot,
} from "../../workspace/clones/mod.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import { inPoolOf, type Refusal, unlessRefused, type WorkspaceState } from "../../workspace/mod.ts";
import { alreadyKept, cannotLeave } from "./preflight.ts";

/** Throws where work is both to go along and to stay behind. */
export function refuseBoth(
  ticketId: string,
  { carry, stash }: { readonly carry?: boolean | undefined; readonly stash: boolean },
): void {
  if (carry !== true || !stash) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot start "${cleanLine(ticketId, 60)}" with --carry and --stash: work goes along or stays`,
    {
      hint: "Take it along: the same command without --stash",
      details: { field: "carry" },
    },
  );
}

/** Why the uncommitted work of a clone does not fit the commit where a branch begins, or null. Two git processes. */
export async function cannotCarry(
  ctx: CommandContext,
  { repo, directory, git }: RepoSnapshot,
  { branch, start, or }: {
    readonly branch: string;
    readonly start: string;
    /** What can be done; committing them, or putting them away with git, where nothing is said. */
    readonly or?: string | undefined;
  },
): Promise<Refusal | null> {
  const head = git?.head ?? null;
  if (head === null || head === start) return null;
  const repository = ctx.git.at(directory, repo.name);
  const { changes } = await repository.status("all");
  const paths = conflictingPaths(changes, await repository.files.differing(head, start));
  return paths.length === 0 ? null : {
    repo: repo.name,
    code: "would_lose_work",
    problem: `has changes in ${few(paths.map((path) => cleanLine(path, 80)), 3)}, which ${
      cleanLine(branch, 60)
    } has otherwise`,
    fix: or ??
      `commit them, or put them away: git -C ${
        shellWord(directory)
      } stash push --include-untracked`,
  };
}

/** Uncommitted work of a clone of the base workspace that goes along into that of a ticket. */
export interface TakenFact {
  readonly repo: string;
  /** How many changed files. */
  readonly files: number;
  /** The branch that is checked out where it comes from, and its commit. */
  readonly from: string;
  readonly head: string;
  /** Ties the call to exactly this work. */
  readonly changes_digest: string;
}

/**
 * The uncommitted work of the clones of a workspace that would go along, each to the branch it is given; throws one error
 * for all that cannot. Five git processes for each clone with changes, one for any other.
 */
export async function planTaking(
  ctx: CommandContext,
  { workspace, state, ticket }: {
    readonly workspace: string;
    readonly state: WorkspaceState | null;
    readonly ticket: string;
  },
  going: readonly { readonly repo: Repo; readonly branch: string; readonly base: string }[],
): Promise<TakenFact[]> {
  const repos = going.map(({ repo }) => repo);
  const name = stashName(ticket);
  const snapshots = await inspectRepos(ctx, { workspace, repos, state });
  const decided = await inPoolOf(ctx, "checking", snapshots, async (snapshot) => {
    const { repo, git, directory } = snapshot;
    const aim = going.find((one) => one.repo.name === repo.name);
    if (git === null || aim === undefined || git.changes.length === 0) return null;
    const refusal = cannotLeave(snapshot, true);
    if (refusal !== null) return refusal;
    const { refs, stashes } = ctx.git.at(directory, repo.name);
    if (git.stashes > 0 && await stashes.find(name) !== null) return alreadyKept(repo, name);
    const names = [`refs/remotes/origin/${aim.branch}`, (await refs.base(aim.base)).ref];
    const known = await refs.peek(names);
    const start = names.map((one) => known.get(one)).find((one) => one !== undefined);
    const misfit = start === undefined ? null : await cannotCarry(ctx, snapshot, {
      branch: aim.branch,
      start,
      or: "commit them, or leave them there: the same command with --workspace",
    });
    if (misfit !== null) return misfit;
    return {
      name: repo.name,
      files: git.changes.length,
      from: git.branch ?? "",
      head: git.head ?? "",
      changes_digest: await changesDigest(ctx, directory, git.changes),
    };
  });
  return unlessRefused<Omit<TakenFact, "repo"> & { readonly name: string }>(
    `start ${ticket}`,
    decided.filter((one) => one !== null),
  ).map(({ name: repo, ...fact }) => ({ repo, ...fact }));
}

/** What goes along, in words: "1 commit and 2 changed files". */
export function carriedText(files: number, commits = 0): string {
  return list([
    ...(commits === 0 ? [] : [count(commits, "commit")]),
    ...(files === 0 ? [] : [count(files, "changed file")]),
  ]);
}
