/** Which ecosystems have a workspace. */

import { join } from "@std/path";
import { AmofError } from "../base/error.ts";
import type { Worktree } from "../git/mod.ts";
import type { CommandContext } from "../contract/mod.ts";
import { loadManifest, type Manifest } from "./manifest/manifest.ts";
import { findTicketWorkspace } from "./tickets/record.ts";

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
 * Whether an ecosystem, or the ticket that is meant, has a workspace; null when its manifest cannot be read. No process
 * where something is in the usual place or a ticket is meant, else one.
 */
export async function hasWorkspace(
  ctx: Pick<CommandContext, "system" | "root" | "git"> & { readonly ticket?: string | null },
  name: string,
): Promise<boolean | null> {
  const { system, root, ticket = null } = ctx;
  if (ticket !== null) return await hasTicketWorkspace(system, root, name, ticket);
  if (await system.files.lstat(join(root, "worktrees", name, ".git")) !== null) return true;
  try {
    const manifest = await loadManifest(system, root, name);
    return isInstalled(await worktreesOrNone(ctx), root, manifest);
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return null;
  }
}

/** Where the records of archived workspaces lie, relative to the control repository (WORKSPACE-19). */
export function archivesOf(ecosystem: string): string {
  return `ecosystems/${ecosystem}/archives`;
}

/** Whether an ecosystem has a workspace that was put away; what the record says is not looked at. No process. */
export async function hasArchive(
  system: CommandContext["system"],
  root: string,
  ecosystem: string,
): Promise<boolean> {
  const entries = await system.files.list(join(root, archivesOf(ecosystem)));
  return entries.some(({ kind, name }) => kind === "file" && name.endsWith(".json"));
}

async function hasTicketWorkspace(
  system: CommandContext["system"],
  root: string,
  name: string,
  ticket: string,
): Promise<boolean | null> {
  try {
    const manifest = await loadManifest(system, root, name);
    return await findTicketWorkspace(system, root, manifest, ticket) !== null;
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return null;
  }
}
