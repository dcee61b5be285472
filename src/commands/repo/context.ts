/** A repository of the manifest as it stands on this machine, and what is left to a person after an edit. */

import { shellWord } from "../../base/text/words.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { findWorkspace, loadState, type WorkspaceState } from "../../workspace/mod.ts";
import { loadManifest, type Manifest, type Repo } from "../../workspace/manifest/mod.ts";
import { namedRepos } from "../selection/mod.ts";

/** The lines that say so, from wherever one stands in the control repository. */
export function committing(file: string, what: string): string[] {
  const path = shellWord(`:/${file}`);
  return [
    "Commit it for it to count for others, too:",
    `  git add ${path}`,
    `  git commit -m ${shellWord(what)} -- ${path}`,
  ];
}

/** The repository, and the workspace it may have a clone in. */
export interface RepoContext {
  readonly manifest: Manifest;
  readonly repo: Repo;
  /** Absolute; null where the ecosystem is not installed. */
  readonly workspace: string | null;
  readonly state: WorkspaceState | null;
}

/** Looks a repository up by its name, also a disabled one; throws `repo_not_found`. One git process. */
export async function requireRepo(ctx: CommandContext, name: string): Promise<RepoContext> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const found = manifest.repos.find((repo) => repo.name === name);
  // Only a repository that is not there at all is worth an error with names like it.
  const repo = found ?? namedRepos(manifest, [name])[0];
  if (repo === undefined) throw new TypeError(`Cannot find the repository "${name}"`);
  const place = await findWorkspace(ctx, ctx.root, manifest);
  if (place.worktree === null || place.worktree.prunable) {
    return { manifest, repo, workspace: null, state: null };
  }
  const workspace = place.directory;
  return { manifest, repo, workspace, state: await loadState(ctx.system, workspace) };
}
