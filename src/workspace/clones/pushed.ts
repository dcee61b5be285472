/**
 * What is remembered of pushes: in the state of the workspace which commit went where, and the upstream of the branch.
 */

import type { ExecuteContext } from "../../contract/mod.ts";
import { operation } from "../../runs/steps/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import { freshState, type LastPush, loadState, saveState } from "../state.ts";
import { shortSha } from "../../base/ids.ts";

/** A push that has arrived. */
export interface Arrived {
  readonly name: string;
  readonly branch: string;
  readonly commit: string;
}

/** The workspace whose state remembers. */
export type Remembering = {
  /** Absolute. */
  readonly workspace: string;
  readonly workspaceBranch: string;
};

/** Remembers pushes that have arrived in the state of the workspace. */
export async function rememberPushes(
  ctx: ExecuteContext,
  { workspace, workspaceBranch }: Remembering,
  arrived: readonly Arrived[],
): Promise<void> {
  if (arrived.length === 0) return;
  const pushed_at = timestamp(ctx.system.clock.now());
  const pushes = new Map<string, LastPush>(arrived.map(({ name, branch, commit }) => [
    name,
    { branch, commit: shortSha(commit), commit_full: commit, pushed_at },
  ]));
  const state = await loadState(ctx.system, workspace) ??
    freshState(ctx.system, ctx.ecosystem, workspaceBranch);
  const known = state.repos.map((repo) => {
    const push = pushes.get(repo.name);
    pushes.delete(repo.name);
    return push === undefined ? repo : { ...repo, last_push: push };
  });
  const added = [...pushes].map(([name, last_push]) => ({ name, last_push }));
  await saveState(ctx.system, workspace, { ...state, repos: [...known, ...added] });
}

/** Makes a branch follow the branch of the same name on its remote. */
export async function followRemote(
  git: ExecuteContext["git"],
  { repo, directory, remote, branch }: {
    readonly repo: string;
    readonly directory: string;
    readonly remote: string;
    readonly branch: string;
  },
): Promise<void> {
  await git.at(directory, repo).branches.setUpstream(branch, `${remote}/${branch}`);
}

/**
 * Does nothing while all goes well. After a kill the push of one repository is remembered as far as it has arrived,
 * because a repeated push finds nothing to send then.
 */
export const rememberPush = operation<
  Remembering & {
    readonly repo: string;
    readonly directory: string;
    readonly remote: string;
    readonly branch: string;
    /** The commit that was to go, before anything was committed on the way; null for none. */
    readonly head: string | null;
    /** How many commits it had that the remote had not. */
    readonly ahead: number;
    /** Whether the branch goes on following what it follows; an older version never said. */
    readonly follows?: boolean;
  }
>({
  name: "remember_push",
  describe: ({ repo }) => `Remember what was pushed of ${repo}`,
  tidies: true,
  touches: ({ directory, workspace }) => [directory, workspace],
  act: () => Promise.resolve(),
  async undo(ctx, args) {
    const { repo, directory, remote, branch, head, ahead, follows = false } = args;
    const repository = ctx.git.at(directory);
    if (await repository.activity() === null) return;
    const [there, here] = [
      await repository.refs.resolve(`refs/remotes/${remote}/${branch}`),
      await repository.refs.resolve(`refs/heads/${branch}`),
    ];
    if (there === null || here === null || (ahead === 0 && there === head)) return;
    const arrived = (head === null || await repository.history.isAncestor(head, there)) &&
      await repository.history.isAncestor(there, here);
    if (!arrived) return;
    await rememberPushes(ctx, args, [{ name: repo, branch, commit: there }]);
    // Another branch may be checked out by now, and git tells the upstream only of the current one.
    const { branch: current, upstream } = await repository.status();
    const isNew = !follows && current === branch && upstream !== `${remote}/${branch}`;
    if (isNew) await followRemote(ctx.git, args);
    ctx.report.log("info", `${repo}: remembered that ${remote}/${branch} has ${shortSha(there)}`);
  },
});
