/** What helps where a sync left a repository as it is: the same as status says of it. */

import type { ExecuteContext } from "../../contract/mod.ts";
import { inspectRepos } from "../../workspace/clones/mod.ts";
import { finishThere, loadState } from "../../workspace/mod.ts";
import { headNeeds } from "../status/head.ts";
import { remoteNeeds } from "../status/news.ts";
import type { At, SyncRow } from "./row.ts";

/** The row with the commands that finish, or go on past, what kept its branch where it is. One look at the clone. */
export async function withAdvice(
  ctx: ExecuteContext,
  { repo, workspace, directory }: At,
  row: SyncRow,
): Promise<SyncRow> {
  const { reason, fix, detail } = row;
  const helps = reason === "in_progress" || reason === "detached" || reason === "dirty";
  if (fix !== null || !helps) return row;
  const state = await loadState(ctx.system, workspace);
  const [seen] = await inspectRepos(ctx, { workspace, repos: [repo], state });
  const git = seen?.git ?? null;
  if (seen === undefined || git === null) return row;
  const { inProgress, updating } = seen;
  if (inProgress !== null) {
    const conflicted = git.changes.some((change) => change.conflicted);
    const unfinished = { name: repo.name, directory, inProgress, updating, conflicted };
    return { ...row, fix: finishThere(unfinished) };
  }
  const [need] = reason === "detached" ? headNeeds(seen, true) : remoteNeeds(seen, state);
  if (need === undefined) return row;
  if (reason !== "detached") return { ...row, fix: need.fix };
  const plain = "no branch is checked out";
  const said = need.problem.startsWith(plain)
    ? need.problem.slice(plain.length)
    : `: ${need.problem}`;
  return { ...row, detail: `${detail}${said}`, fix: need.fix };
}
