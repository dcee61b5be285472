/**
 * Tells apart what of a repository an archive can bring to its remote, what the remote has, and what would be lost.
 *
 * @module
 */

import { type Loss, refLosses, type RepoStock, tagLosses } from "../workspace/mod.ts";
import { AmofError } from "../error.ts";
import type { CommandContext } from "../contract/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { type GivenUp, type PushPlan, refsThere } from "./remote.ts";

const REMOTE = "origin";
/** More commits of one repository than anybody reads. */
const MOST_COMMITS = 10_000;

/** Commits of one repository that pushing its feature branches saves, and those that it does not. */
export interface Split {
  readonly push: readonly PushPlan[];
  readonly stuck: readonly Loss[];
  /** The branches whose commits are stuck. */
  readonly branches: ReadonlySet<string>;
  /** Whether the commits of a detached HEAD are. */
  readonly head: boolean;
}

/** A repository without commits of its own. */
export const NOTHING: Split = { push: [], stuck: [], branches: new Set(), head: false };

/** Tells the commits of one repository apart. One git process for each branch, where there is anything unpushed. */
export async function split(
  ctx: CommandContext,
  directory: string,
  repo: RepoStock,
  base: string | undefined,
): Promise<Split> {
  if (repo.unpushed.length === 0) return NOTHING;
  const push: PushPlan[] = [];
  const stuck: Loss[] = [];
  const branches = new Set<string>();
  let head = false;
  const repository = ctx.git.at(directory, repo.name);
  const hasRemote = await repository.remotes.pushUrl(REMOTE) !== null;
  for (const { name: branch, commit } of repo.branches) {
    const commits = await repository.history.unpushedCount(
      `refs/heads/${branch}`,
    );
    if (commits === 0) continue;
    if (repo.known && !repo.readonly && hasRemote && branch !== base) {
      push.push({ repo: repo.name, branch, commit, commits });
    } else {
      branches.add(branch);
      stuck.push({
        repo: repo.name,
        kind: "commits",
        count: commits,
        items: [`on ${cleanLine(branch, 60)}`],
      });
    }
  }
  if (repo.branch === null && repo.head !== null) {
    const commits = await repository.history.unpushedCount("HEAD");
    if (commits > 0) {
      head = true;
      stuck.push({ repo: repo.name, kind: "commits", count: commits, items: ["on no branch"] });
    }
  }
  return { push, stuck, branches, head };
}

/**
 * What only tags and other refs of a repository hold, the remote not having them either. The remote is asked where there
 * is any, because nothing here tells which of them it has; one that does not answer has none.
 */
export async function splitRefs(
  ctx: CommandContext,
  directory: string,
  repo: RepoStock,
): Promise<{ losses: Loss[] } & GivenUp> {
  const things = repo.refs.filter(({ leadsTo }) => leadsTo !== "commit");
  const annotated = repo.refs.some((ref) => ref.annotated);
  if (repo.refOnly.length === 0 && things.length === 0 && !annotated) {
    return { losses: [], commits: [], tags: [] };
  }
  let answered = true;
  let there: ReadonlyMap<string, string> = new Map();
  try {
    there = await refsThere(ctx, { name: repo.name, directory, refs: repo.refs });
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    answered = false;
  }
  const left = repo.refs.filter(({ name, object }) => there.get(name) !== object);
  const commits = left.filter(({ leadsTo }) => leadsTo === "commit");
  const known = [
    ...there.values(),
    ...repo.stashes.map(({ commit }) => commit),
    ...(repo.head === null ? [] : [repo.head]),
  ];
  const rest = commits.length === 0 || repo.refOnly.length === 0
    ? []
    : await ctx.git.at(directory, repo.name).everything.onlyIn({
      refs: commits.map(({ name }) => name),
      known,
      most: MOST_COMMITS,
    });
  return {
    losses: [
      ...refLosses(repo.name, rest, left),
      // Of a remote that does not answer nobody can say that it has none of these; it is asked again before anything goes.
      ...answered ? tagLosses(repo.name, "tags", rest, left) : [],
    ],
    commits: rest.map(({ commit }) => commit),
    tags: answered ? left.filter((ref) => ref.annotated).map(({ name }) => name) : [],
  };
}
