/** What every command that takes a workspace away asks and tells: discard and archive. */

import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { loadManifest } from "../manifest/manifest.ts";
import { refuseInside } from "./occupied.ts";
import { findWorkspace, type WorkspacePlace } from "../workspace.ts";

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
