/**
 * The repositories that a reading command is about.
 *
 * @module
 */

import type { CommandContext } from "../contract/mod.ts";
import type { Manifest, Repo } from "./manifest/manifest.ts";
import { scopeManifest } from "./tickets/scope.ts";
import { select, type Selecting } from "./selection.ts";
import { requireWorkspace, type Workspace } from "./workspace.ts";

/** What a selection means. */
interface Chosen {
  readonly manifest: Manifest;
  readonly workspace: Workspace;
  /** In the order of the manifest. */
  readonly repos: readonly Repo[];
}

/**
 * The selected repositories with their workspace. One git process, which looks for it while the manifest is read,
 * besides what the selection costs.
 */
export async function chosen(ctx: CommandContext, selection: Selecting): Promise<Chosen> {
  const worktrees = ctx.ticket === null
    ? ctx.git.at(ctx.root).worktrees.list()
    : Promise.resolve([]);
  worktrees.catch(() => {});
  const manifest = await scopeManifest(ctx);
  const workspace = await requireWorkspace(ctx, ctx.root, manifest, worktrees);
  const from = { manifest, workspace: workspace.directory, state: workspace.state };
  return { manifest, workspace, repos: await select(ctx, from, selection) };
}
