/** Temporary files that killed processes of this program left behind. */

import { join } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { STAGING, writerOf } from "../../base/system/layout.ts";
import { checkManifest } from "../manifest/manifest.ts";
import { findWorkspace, repoDirectory } from "../workspace.ts";
import type { System } from "../../base/system/mod.ts";

/** The working copies of an ecosystem that are there: control repository, workspace, clones. */
async function workingCopies(ctx: CommandContext): Promise<string[]> {
  const { manifest } = await checkManifest(ctx.system, ctx.root, ctx.ecosystem);
  if (manifest === null) return [ctx.root];
  const { worktree } = await findWorkspace(ctx, ctx.root, manifest);
  if (worktree === null || worktree.prunable) return [ctx.root];
  const clones = await Promise.all(
    manifest.repos.filter((repo) => repo.enabled)
      .map((repo) => repoDirectory(ctx.system, worktree.path, repo).catch(() => null)),
  );
  return [ctx.root, worktree.path, ...clones.filter((path) => path !== null)];
}

/** Those whose writer is gone: what a living process prepares is its own. */
async function abandoned(
  ctx: CommandContext,
  directory: string,
  names: readonly string[],
  where: "staged" | "beside",
): Promise<string[]> {
  const left: string[] = [];
  for (const name of names) {
    const pid = writerOf(name.split("/").at(-1) ?? "", where);
    if (pid === null) continue;
    const writer = { pid, startedAt: null, bootId: null };
    if (!await ctx.system.processes.isAlive(writer)) left.push(join(directory, name));
  }
  return left;
}

/**
 * Temporary files of ours in and beside the working copies of an ecosystem and in the state directory, absolute, as far
 * as nobody writes them any more. One git process per working copy.
 */
export async function temporaries(ctx: CommandContext): Promise<string[]> {
  const { files } = ctx.system;
  const names = async (path: string) => (await files.list(path)).map((entry) => entry.name);
  const inCopies = await inPool(ctx.jobs, await workingCopies(ctx), async (path) => {
    const repository = ctx.git.at(path);
    const git = await repository.gitDirectory();
    if (git === null) return [];
    const staging = join(git, STAGING);
    return [
      ...await abandoned(ctx, staging, await names(staging), "staged"),
      ...await abandoned(
        ctx,
        path,
        await repository.files.temporary().catch(() => []),
        "beside",
      ),
    ];
  });
  const { state } = ctx.layout;
  const markers = join(state, "unfinished");
  return [
    ...inCopies.flat(),
    ...await abandoned(ctx, state, await names(state), "beside"),
    ...await abandoned(ctx, markers, await names(markers), "beside"),
  ];
}

// What killed processes left of directories that were being made beside their places.

/** Removes what a killed process left beside the place of a directory that nobody else makes at the moment. */
export async function removeStale(
  { system }: { readonly system: System },
  parent: string,
  name: string,
): Promise<void> {
  const prefix = `.${name}.amof-`;
  for (const entry of await system.files.list(parent)) {
    const rest = entry.name.startsWith(prefix) ? entry.name.slice(prefix.length) : "";
    if (entry.kind === "directory" && /^[0-9a-f]{8}$/.test(rest)) {
      await system.files.removeTree(join(parent, entry.name));
    }
  }
}
