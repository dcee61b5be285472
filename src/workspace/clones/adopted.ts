/** Adopts clones that stay where their owner has them: a workspace reaches them through links (ADOPT-1). */

import { dirname, join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { operation } from "../../runs/steps/mod.ts";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import { isBelow } from "../../base/paths.ts";
import { adoptedFile, readAdopted, recordBelow } from "./adopting.ts";
import { repoDirectory } from "../workspace.ts";

/** Every clone that some workspace of a control repository has adopted, and still has a link to. No process. */
export async function adoptedAnywhere(
  { system, git, root }: Pick<CommandContext, "system" | "git" | "root">,
): Promise<ReadonlySet<string>> {
  const common = await git.at(root).commonDirectory();
  if (common === null) return new Set();
  const worktrees = join(common, "worktrees");
  const found = new Set<string>();
  for (const { name } of await system.files.list(worktrees)) {
    const text = await system.files.readText(recordBelow(join(worktrees, name)));
    const gitFile = await system.files.readText(join(worktrees, name, "gitdir"));
    for (const [path, place] of Object.entries(readAdopted(text))) {
      const link = join(dirname((gitFile ?? "").trim()), path);
      if (await system.files.readLink(link).catch(() => null) === place) found.add(place);
    }
  }
  return found;
}

/** A clone that is adopted: its place in the workspace, and where it really is. */
export type Adoption = {
  readonly name: string;
  /** Relative to the workspace. */
  readonly path: string;
  /** Absolute, without links. */
  readonly source: string;
};

async function change(
  ctx: ExecuteContext,
  workspace: string,
  edit: (clones: Record<string, string>) => void,
): Promise<void> {
  await ctx.git.at(workspace).inTurn(async () => {
    const file = await adoptedFile(ctx.system, workspace);
    if (file === null) return;
    const clones = { ...readAdopted(await ctx.system.files.readText(file)) };
    edit(clones);
    if (Object.keys(clones).length === 0) await ctx.system.files.remove(file);
    else {
      const text = `${JSON.stringify({ version: 1, clones }, null, 2)}\n`;
      await ctx.system.files.write(file, text);
    }
  });
}

/** Links clones into a workspace. The clones themselves are not touched; taken back, the links go. */
export const adoptClones = operation<
  { readonly workspace: string; readonly clones: readonly Adoption[] }
>({
  name: "adopt_clones",
  touches: ({ workspace }) => [workspace],
  describe: ({ clones }) => `Link ${clones.map(({ name }) => name).join(", ")}`,
  async act(ctx, { workspace, clones }) {
    const { files } = ctx.system;
    await change(ctx, workspace, (all) => {
      for (const { path, source } of clones) all[path] = source;
    });
    for (const clone of clones) {
      const { name, path, source } = clone;
      const place = join(workspace, path);
      if (await files.readLink(place).catch(() => null) === source) continue;
      const target = await repoDirectory(ctx.system, workspace, clone);
      if ((await files.list(target)).length > 0 || await files.realPath(source) !== source) {
        throw new AmofError(
          "workspace_exists",
          `Cannot adopt "${name}": ${path} is not empty, or its clone is gone`,
          { hint: "Look at both places, then repeat", details: { repo: name, path } },
        );
      }
      if (await files.lstat(target) !== null) await files.remove(target);
      await files.makeDirectory(dirname(target));
      await files.symlink(source, target);
      ctx.report.log("info", `${name}: linked to ${source}`, {
        type: "repo",
        payload: { repo: name },
      });
    }
    // The configuration of an adopted clone is its owner's, and is trusted as it is.
    await ctx.seals.seal(clones.map(({ source }) => source));
  },
  async undo(ctx, { workspace, clones }) {
    const { files } = ctx.system;
    for (const { path, source } of clones) {
      const place = join(workspace, path);
      if ((await files.lstat(place))?.kind !== "symlink") continue;
      if (await files.readLink(place) === source) await files.remove(place);
    }
    await change(ctx, workspace, (all) => {
      for (const { path, source } of clones) {
        if (all[path] === source) delete all[path];
      }
    });
  },
});

/** Whether a clone lies in a working copy of the control repository, and so belongs to a workspace already. */
export async function liesInWorkspace(
  { git, root }: Pick<CommandContext, "git" | "root">,
  clone: string,
): Promise<boolean> {
  const linked = await git.at(root).worktrees.linked();
  return linked.some(({ path }) => isBelow(path, clone));
}
