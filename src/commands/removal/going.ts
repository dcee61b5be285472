/** What would go with the base workspace, looked at as every removal does before it asks anybody. */

import type { CommandContext } from "../../contract/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { refuseObstacles, type Stock, takeStock } from "../../workspace/removal/mod.ts";
import { withoutMoved } from "../../workspace/tickets/changing.ts";
import { refuseUsedElsewhere, type WorkspacePlace } from "../../workspace/mod.ts";

/** The base workspace that would go. */
interface BaseGoing {
  readonly stock: Stock;
  /** A branch of the control repository that goes, too, with its commit; null for none. */
  readonly branch: { readonly name: string; readonly commit: string } | null;
}

/**
 * Looks at the base workspace, without what of it is moved into workspaces of tickets that stay. Throws where something is in
 * the way, as another working copy that has the branch.
 */
export async function baseGoing(
  ctx: CommandContext,
  { place, manifest, branch: name, tickets = false }: {
    readonly place: WorkspacePlace;
    readonly manifest: Manifest;
    readonly branch: string | null;
    /** Whether the workspaces of tickets go, too. */
    readonly tickets?: boolean;
  },
  what: string,
): Promise<BaseGoing> {
  const taken = await takeStock(ctx, place, manifest);
  const { directory } = place;
  const stock = tickets ? taken : await withoutMoved(ctx, { manifest, directory, stock: taken });
  refuseObstacles(what, stock.obstacles);
  const { refs } = ctx.git.at(ctx.root);
  const commit = name === null ? null : await refs.resolve(`refs/heads/${name}`);
  if (name === null || commit === null) return { stock, branch: null };
  await refuseUsedElsewhere(ctx, ctx.root, place, { branch: name, what: `delete ${name}` });
  return { stock, branch: { name, commit } };
}
