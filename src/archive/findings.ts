/**
 * What an archive finds in a workspace: what is only there, and what of it can be pushed.
 *
 * @module
 */

import { join } from "@std/path";
import { inPool } from "../async/pool.ts";
import type { CommandContext } from "../contract/mod.ts";
import { AmofError } from "../error.ts";
import {
  CONTROL,
  loadState,
  type Loss,
  lossesOf,
  type Manifest,
  refuseObstacles,
  removablePlace,
  type RepoStock,
  type Stock,
  takeStock,
  type WorkspacePlace,
  type WorkspaceState,
} from "../workspace/mod.ts";
import type { GivenUp, PushPlan } from "./remote.ts";
import { NOTHING, type Split, split, splitRefs } from "./split.ts";

/** The stock of what is to be archived, with what is pushed of each repository, and what cannot be. */
export interface Findings {
  readonly place: WorkspacePlace;
  readonly manifest: Manifest;
  readonly stock: Stock;
  readonly state: WorkspaceState | null;
  /** The working copy of the control repository. */
  readonly control: RepoStock;
  /** By repository what its branches have that no remote has. */
  readonly parts: ReadonlyMap<string, Split>;
  /** Branches that can be pushed. */
  readonly push: readonly PushPlan[];
  /** Repository to what only its tags and other refs hold, and that is given up. */
  readonly givenUp: ReadonlyMap<string, GivenUp>;
  /** What would be lost. */
  readonly losses: readonly Loss[];
}

/** Looks at everything; throws where there is nothing to archive, or something stands in the way. */
export async function findings(ctx: CommandContext, what: string): Promise<Findings> {
  const { place, manifest } = await removablePlace(ctx, "archive");
  const stock = await takeStock(ctx, place, manifest);
  if (stock.control === null) {
    throw new AmofError(
      "workspace_not_installed",
      `Cannot ${what}: the directory of its workspace is gone`,
      { hint: "Make it anew: amof install --repair; or forget it: amof discard" },
    );
  }
  refuseObstacles(what, stock.obstacles);
  const base = (name: string) => manifest.repos.find((repo) => repo.name === name)?.branch;
  const directory = (repo: RepoStock) => join(place.directory, repo.path);
  const parts = await inPool(ctx.jobs, stock.repos, async (repo) =>
    [
      repo.name,
      repo.problem === null ? await split(ctx, directory(repo), repo, base(repo.name)) : NOTHING,
    ] as const);
  const refs = await inPool(
    ctx.jobs,
    stock.repos,
    async (repo) => [repo.name, await splitRefs(ctx, directory(repo), repo)] as const,
  );
  return {
    place,
    manifest,
    stock,
    state: await loadState(ctx.system, place.directory),
    control: stock.control,
    parts: new Map(parts),
    push: parts.flatMap(([, part]) => part.push),
    givenUp: new Map(refs),
    losses: [
      // Commits, tags and refs of clones are told by `split`, where those that can be pushed are told apart.
      ...lossesOf(stock).filter((loss) =>
        loss.repo === CONTROL || !["commits", "tagged", "annotated", "refs"].includes(loss.kind)
      ),
      ...refs.flatMap(([, part]) => part.losses),
      ...parts.flatMap(([, part]) => part.stuck),
    ],
  };
}
