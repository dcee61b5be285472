/** Which tickets are merged, as refs and what was remembered of earlier looks tell: no git process (WORKSPACE-30). */

import { join } from "@std/path";
import { AmofError } from "../../../base/error.ts";
import { inPool } from "../../../base/async/pool.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import {
  freshState,
  loadState,
  type TicketState,
  type WorkspaceState,
} from "../../../workspace/mod.ts";
import type { ListedTicketWorkspace } from "../../../workspace/tickets/mod.ts";
import { mergedInFiles } from "../../../workspace/clones/mod.ts";
import type { TicketPlace } from "../preflight.ts";

/** A branch of a ticket, where its clone is. */
interface TicketBranch {
  /** The clone, absolute. */
  readonly directory: string;
  readonly repo: { readonly name: string; readonly branch: string };
  readonly branch: string;
}

/** Whether the work of a ticket is merged in every repository in which it has any, and it has some. */
async function isMerged(
  ctx: CommandContext,
  branches: readonly TicketBranch[],
  state: WorkspaceState,
): Promise<boolean> {
  const found = await inPool(ctx.jobs, branches, async ({ directory, repo, branch }) => {
    const clone = ctx.git.at(directory, repo.name);
    if (await clone.activity() === null) return "open";
    try {
      return await mergedInFiles(clone, repo, branch, state);
    } catch (error) {
      // Where refs are in tables git has to read them, and its clone may be damaged.
      if (error instanceof AmofError && !ctx.signal.aborted) return "open";
      throw error;
    }
  });
  return found.includes("merged") && !found.includes("open");
}

/** Whether a ticket that is worked on in the base workspace is merged. */
export async function mergedHere(
  ctx: CommandContext,
  { manifest, state }: TicketPlace,
  { repos }: TicketState,
  directories: (repo: string) => string,
): Promise<{ readonly merged?: true }> {
  const branches = manifest.repos.flatMap((repo): TicketBranch[] => {
    const branch = repo.enabled && Object.hasOwn(repos, repo.name) ? repos[repo.name] : undefined;
    return branch === undefined ? [] : [{ directory: directories(repo.name), repo, branch }];
  });
  return await isMerged(ctx, branches, state) ? { merged: true } : {};
}

/** Whether a ticket with a workspace of its own is merged. */
export async function mergedApart(
  ctx: CommandContext,
  { directory, record }: ListedTicketWorkspace,
): Promise<{ readonly merged?: true }> {
  if (record === null) return {};
  const state = await loadState(ctx.system, directory).catch(() => null) ??
    freshState(ctx.system, record.ecosystem, "");
  const branches = Object.entries(record.repos).filter(([, { role }]) => role === "work")
    .map(([name, { path, branch, base }]): TicketBranch => ({
      directory: join(directory, path),
      repo: { name, branch: base },
      branch,
    }));
  return await isMerged(ctx, branches, state) ? { merged: true } : {};
}
