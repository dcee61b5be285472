/**
 * The repositories that a reading command is about.
 *
 * @module
 */

import type { CommandContext } from "../contract/mod.ts";
import { loadManifest, type Manifest, type Repo } from "./manifest/manifest.ts";
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
  const worktrees = ctx.git.at(ctx.root).worktrees.list();
  worktrees.catch(() => {});
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const workspace = await requireWorkspace(ctx, ctx.root, manifest, worktrees);
  const from = { manifest, workspace: workspace.directory, state: workspace.state };
  return { manifest, workspace, repos: await select(ctx, from, selection) };
}
