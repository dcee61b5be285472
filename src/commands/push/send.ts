/** Sends what a push was agreed to, and remembers what has arrived, also where it is cut off (WORKSPACE-16). */

import type { ExecuteContext } from "../../contract/mod.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import {
  type Arrived,
  type Remembering,
  rememberPush,
  rememberPushes,
  tidySteps,
} from "../../workspace/clones/changing.ts";
import { makeGuard, type Manifest, type Repo } from "../../workspace/manifest/mod.ts";
import { inPoolOf, repoDirectory, requireWorkspace } from "../../workspace/mod.ts";
import { type AgreedPush, pushOne } from "./one.ts";
import type { PushRow } from "./skip.ts";
import type { PushFact, PushFacts } from "./plan.ts";

function arrivedOf(rows: readonly PushRow[]): Arrived[] {
  return rows.flatMap(({ name, branch, result, commit }) =>
    result === "pushed" && commit !== null ? [{ name, branch, commit }] : []
  );
}

/** The steps that remember what has arrived where the push is cut off. */
function rememberSteps(
  ctx: ExecuteContext,
  remembering: Remembering,
  repos: readonly Repo[],
  facts: readonly PushFact[],
): Promise<JournalStep[]> {
  return Promise.all(facts.flatMap((fact) => {
    const repo = repos.find(({ name }) => name === fact.name);
    if (repo === undefined) return [];
    const { name, remote, branch, head, ahead } = fact;
    return [
      repoDirectory(ctx.system, remembering.workspace, repo).then((directory) =>
        rememberPush.step({ ...remembering, repo: name, directory, remote, branch, head, ahead })
      ),
    ];
  }));
}

/** Pushes all repositories that were agreed to; `allowed` are no-touch paths that somebody let go. */
export async function sendAll(
  ctx: ExecuteContext,
  manifest: Manifest,
  { repos: facts, message }: Pick<PushFacts, "repos" | "message">,
  allowed: readonly string[],
): Promise<readonly PushRow[]> {
  const workspace = await requireWorkspace(ctx, ctx.root, manifest);
  const agreed: AgreedPush = {
    manifest,
    workspace: workspace.directory,
    state: workspace.state,
    message,
    guard: await makeGuard(manifest.noTouchPaths),
    allowed,
  };
  const repos = manifest.repos.filter(({ name }) => facts.some((fact) => fact.name === name));
  const tidy = await tidySteps(ctx, workspace.directory, repos, false);
  const remembering: Remembering = {
    workspace: workspace.directory,
    workspaceBranch: manifest.workspaceBranch,
  };
  const steps = [...tidy, ...await rememberSteps(ctx, remembering, repos, facts)];
  return await ctx.watchOver(steps, async () => {
    const pushed = await inPoolOf(ctx, "pushing", facts, (fact) => pushOne(ctx, agreed, fact));
    await rememberPushes(ctx, remembering, arrivedOf(pushed));
    return pushed;
  });
}
