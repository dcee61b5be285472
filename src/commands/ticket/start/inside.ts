/** The submodules of repositories that go to a branch of somebody else. */

import { inPool } from "../../../base/async/pool.ts";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { bringLateSubmodules, Transfers } from "../../../workspace/clones/changing.ts";
import { repoDirectory } from "../../../workspace/mod.ts";
import type { TicketPlace } from "../preflight.ts";
import type { StartFacts } from "./plan.ts";

/**
 * Brings submodules along to branches of remotes, which name commits that only the remotes of those may have; the status
 * tells of what stays behind.
 */
export async function bringInside(
  ctx: ExecuteContext,
  { manifest, workspace }: TicketPlace,
  { repos }: StartFacts,
): Promise<void> {
  const brought = repos.filter(({ action }) => action === "track").map(({ name }) => name);
  const having = manifest.repos.filter(({ name, submodules }) =>
    submodules && brought.includes(name)
  );
  const transfers = new Transfers(ctx.transfers);
  await inPool(ctx.jobs, having, async (repo) => {
    const directory = await repoDirectory(ctx.system, workspace.directory, repo);
    await bringLateSubmodules(ctx, transfers, { repo, directory });
  });
}
