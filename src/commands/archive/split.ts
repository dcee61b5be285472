/**
 * Tells apart what of a repository an archive can bring to its remote, what the remote has, and what would be lost.
 *
 * @module
 */

import type { Loss, RepoStock } from "../../workspace/removal/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { PushPlan } from "./remote.ts";

const REMOTE = "origin";

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
