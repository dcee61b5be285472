/** Brings the checked-out branch of a ticket to where its own remote branch is (WORKSPACE-15). */

import type { ExecuteContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import { expectedBranch, ownNewsOf } from "../../workspace/clones/mod.ts";
import { isBaseBranch } from "../../workspace/tickets/mod.ts";
import { loadState } from "../../workspace/mod.ts";
import type { At, SyncRow } from "./row.ts";

/** The row of a base branch, with what became of the other branch that is checked out. */
export async function withOwn(
  ctx: ExecuteContext,
  { repo, workspace, directory }: At,
  { row, branch }: { readonly row: SyncRow; readonly branch: string },
): Promise<SyncRow> {
  const repository = ctx.git.at(directory, repo.name);
  const state = await loadState(ctx.system, workspace);
  const isExpected = expectedBranch(repo, state) === branch;
  const news = await ownNewsOf(repository, {
    directory,
    branch,
    url: repo.url,
    isBase: isBaseBranch(state, repo, branch),
    isExpected,
  });
  const also = (said: string) => row.detail === "" ? said : `${row.detail}, ${said}`;
  const stays = `stays on ${cleanLine(branch, 60)}`;
  if (news === null) return row.result === "skipped" ? row : { ...row, detail: also(stays) };
  const { commits, reason, note, tip } = news;
  const isAlone = row.result === "up_to_date";
  if (reason === null) {
    await repository.branches.fastForward(tip);
    return {
      ...row,
      ...(isAlone ? { result: "updated", branch, commits } : {}),
      detail: also(`${cleanLine(branch, 60)} moved forward by ${count(commits, "commit")}`),
    };
  }
  return {
    ...row,
    ...(isAlone && isExpected && reason !== "elsewhere"
      ? { result: "skipped", branch, reason: reason === "dirty" ? "dirty" : "diverged" }
      : {}),
    detail: also(`${stays}, ${note}`),
    fix: row.fix ?? news.fix,
  };
}
