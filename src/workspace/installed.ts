/**
 * Which ecosystems have a workspace.
 *
 * @module
 */

import { join } from "@std/path";
import { AmofError } from "../error.ts";
import type { Worktree } from "../git/mod.ts";
import type { CommandContext } from "../contract/mod.ts";
import { loadManifest, type Manifest } from "./manifest/manifest.ts";

/** Whether one of the worktrees is the workspace of the ecosystem. */
export function isInstalled(
  worktrees: readonly Worktree[],
  root: string,
  manifest: Manifest,
): boolean {
  const directory = join(root, manifest.workspaceDir);
  return worktrees.slice(1).some((entry) =>
    !entry.prunable && (entry.path === directory || entry.branch === manifest.workspaceBranch)
  );
}

/** The worktrees of the control repository; none when it is not a git repository. */
export async function worktreesOrNone(
  { root, git }: Pick<CommandContext, "root" | "git">,
): Promise<readonly Worktree[]> {
  const repository = git.at(root);
  return await repository.gitDirectory() === null ? [] : await repository.worktrees.list();
}

/**
 * Whether an ecosystem has a workspace; null when its manifest cannot be read. No process where something is in
 * the usual place, else one.
 */
export async function hasWorkspace(
  ctx: Pick<CommandContext, "system" | "root" | "git">,
  name: string,
): Promise<boolean | null> {
  const { system, root } = ctx;
  if (await system.files.lstat(join(root, "worktrees", name, ".git")) !== null) return true;
  try {
    const manifest = await loadManifest(system, root, name);
    return isInstalled(await worktreesOrNone(ctx), root, manifest);
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return null;
  }
}
