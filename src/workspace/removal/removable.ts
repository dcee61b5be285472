/** What every command that takes a workspace away asks and tells: discard and archive. */

import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { loadManifest } from "../manifest/manifest.ts";
import { findWorkspace, type WorkspacePlace } from "../workspace.ts";
import { isBelow } from "../../base/paths.ts";
import { shellWord } from "../../base/text/words.ts";

/**
 * Throws `workspace_in_use` when the working directory of this process lies in a directory that is about to go,
 * whichever links led there. `what` is the words of the command, `action` what it does. No process.
 *
 * Whoever stands in a directory that is gone can start no program from there that asks where it is, this one
 * included. Over MCP the directory is that of the server, which is usually that of the program that started it.
 */
export async function refuseInside(
  ctx: CommandContext,
  what: string,
  directory: string,
  action = `${what} "${ctx.ecosystem}"`,
): Promise<void> {
  const { env, files } = ctx.system;
  const [here, gone] = await Promise.all([files.realPath(env.cwd), files.realPath(directory)]);
  if (here === null || gone === null || !isBelow(gone, here)) return;
  const root = shellWord(ctx.root);
  throw new AmofError(
    "workspace_in_use",
    ctx.door === "cli"
      ? `Cannot ${action}: you are in the workspace that would go`
      : `Cannot ${action}: the working directory of this program lies in the workspace that would go`,
    {
      hint: ctx.door === "cli"
        ? `Leave it first: cd ${root}\nThen repeat the same command there`
        : `A person does it in a terminal: cd ${root}\nThen, in a terminal: amof -e ${ctx.ecosystem} ${what}\nStart the server elsewhere, in a terminal: amof mcp serve --root ${root}`,
      details: { ecosystem: ctx.ecosystem, directory: here, root: ctx.root },
    },
  );
}

/**
 * The place of a workspace that can be removed; throws `workspace_not_installed`, and `workspace_in_use` where the
 * caller stands in it. One git process.
 */
export async function removablePlace(
  ctx: CommandContext,
  what: string,
): Promise<{ place: WorkspacePlace; manifest: Awaited<ReturnType<typeof loadManifest>> }> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const place = await findWorkspace(ctx, ctx.root, manifest);
  if (place.worktree !== null) {
    await refuseInside(ctx, what, place.directory);
    return { place, manifest };
  }
  throw new AmofError(
    "workspace_not_installed",
    `Cannot ${what} "${manifest.name}": it has no workspace`,
    { hint: "See what there is: amof ecosystem list", details: { ecosystem: manifest.name } },
  );
}

/** Whether an environment stands, or nobody knows that none does. */
export async function environmentStands(
  ctx: Pick<CommandContext, "store" | "root" | "ecosystem" | "ticket">,
): Promise<boolean> {
  const record = (await ctx.store()).environments.get(ctx);
  return record !== null && (record.deployed !== null || record.outcome !== "done");
}

/** A line about an environment that outlives the workspace; none where no environment stands. */
export async function environmentLines(ctx: CommandContext): Promise<string[]> {
  return await environmentStands(ctx)
    ? ["Leave the environment as it is. Remove it: amof spin destroy"]
    : [];
}

/** The failure of a removal that left files behind. */
export function undeletable(place: string): AmofError {
  return new AmofError(
    "partial_failure",
    `Removed the workspace, but could not delete all of its files: ${place}`,
    { hint: `Delete them by hand: ${place}`, details: { left: place } },
  );
}
