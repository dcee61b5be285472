/** Which tickets are merged, as refs and what was remembered of earlier looks tell: no git process for most (WORKSPACE-30). */

import { join } from "@std/path";
import { toAmofError } from "../../../base/error.ts";
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
import type { ListedTicket } from "./view.ts";

/** A branch of a ticket, where its clone is. */
interface TicketBranch {
  /** The clone, absolute. */
  readonly directory: string;
  readonly repo: { readonly name: string; readonly branch: string };
  readonly branch: string;
}

/** What is known of the work of a ticket. */
type Judged = Pick<ListedTicket, "merged" | "partly_merged" | "unread">;

/** Whether the work of a ticket is merged in every repository in which it has any, and it has some. */
async function judged(
  ctx: CommandContext,
  branches: readonly TicketBranch[],
  state: WorkspaceState,
): Promise<Judged> {
  const unread: string[] = [];
  const found = await inPool(ctx.jobs, branches, async ({ directory, repo, branch }) => {
    const clone = ctx.git.at(directory, repo.name);
    if (await clone.activity() === null) return "open";
    try {
      return await mergedInFiles(clone, repo, branch, state);
    } catch (error) {
      // One clone that cannot be read keeps nobody from seeing the tickets.
      const { code } = toAmofError(error, () => ctx.system.ids.hex(8));
      if (ctx.signal.aborted || code === "internal_error") throw error;
      unread.push(repo.name);
      return "open";
    }
  });
  const merged = found.filter((how) => how === "merged").length;
  const open = found.filter((how) => how === "open").length;
  return {
    ...merged === 0
      ? {}
      : open === 0
      ? { merged: true }
      : { partly_merged: { merged, of: merged + open } },
    ...unread.length === 0 ? {} : { unread: unread.toSorted() },
  };
}

/** Whether a ticket that is worked on in the base workspace is merged. */
export async function mergedHere(
  ctx: CommandContext,
  { manifest, state }: TicketPlace,
  { repos }: TicketState,
  directories: (repo: string) => string,
): Promise<Judged> {
  const branches = manifest.repos.flatMap((repo): TicketBranch[] => {
    const branch = repo.enabled && Object.hasOwn(repos, repo.name) ? repos[repo.name] : undefined;
    return branch === undefined ? [] : [{ directory: directories(repo.name), repo, branch }];
  });
  return await judged(ctx, branches, state);
}

/** Whether a ticket with a workspace of its own is merged. */
export async function mergedApart(
  ctx: CommandContext,
  { directory, record }: ListedTicketWorkspace,
): Promise<Judged> {
  if (record === null) return {};
  const state = await loadState(ctx.system, directory).catch(() => null) ??
    freshState(ctx.system, record.ecosystem, "");
  const branches = Object.entries(record.repos).filter(([, { role }]) => role === "work")
    .map(([name, { path, branch, base }]): TicketBranch => ({
      directory: join(directory, path),
      repo: { name, branch: base },
      branch,
    }));
  return await judged(ctx, branches, state);
}
