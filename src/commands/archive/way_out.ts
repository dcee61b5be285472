/**
 * What brings the work that an archive would lose to safety.
 *
 * @module
 */

import { join } from "@std/path";
import type { CommandContext } from "../../contract/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import {
  finishThere,
  integrateThere,
  type Refusal,
  type WorkspacePlace,
} from "../../workspace/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { type Loss, refusalOf, type RepoStock, type Stock } from "../../workspace/removal/mod.ts";

/** How a clone stands whose work is to be pushed. */
interface Standing {
  readonly repo: Pick<RepoStock, "name" | "readonly" | "branch" | "inProgress" | "uncommitted">;
  readonly directory: string;
  /** Its base branch, which a push leaves alone unless told to take it. */
  readonly base: string;
  /** Whether the remote branch has commits that are not here. */
  readonly isOvertaken: boolean;
}

/** What takes uncommitted changes and commits to the remote, or what has to be done before a push would take them. */
export function wayOut({ repo, directory, base, isOvertaken }: Standing): string {
  const there = `git -C ${shellWord(directory)}`;
  const { name, branch } = repo;
  if (repo.readonly) return `see what was changed, and put it elsewhere: ${there} status`;
  if (repo.inProgress !== null) return finishThere(directory);
  if (branch === null) return `give them a branch: ${there} switch --create saved`;
  if (isOvertaken) return integrateThere(directory, branch);
  const isDirty = repo.uncommitted.length > 0;
  return `${isDirty ? "commit and push them" : "push them"}: amof push --repo ${name}${
    isDirty ? " --commit" : ""
  }${branch === base ? " --allow-base" : ""}`;
}

/** Whether the remote branch of the one that is checked out has commits that are not here; at most two processes. */
async function overtaken(
  ctx: CommandContext,
  directory: string,
  { branch, head }: RepoStock,
): Promise<boolean> {
  if (branch === null || head === null) return false;
  const { refs, history } = ctx.git.at(directory);
  const there = await refs.resolve(`refs/remotes/origin/${branch}`);
  return there !== null && !await history.isAncestor(there, head);
}

/** Why an archive that gives nothing up is refused: each loss with what saves it. */
export async function refusalsOf(
  ctx: CommandContext,
  { place, manifest, stock }: {
    readonly place: WorkspacePlace;
    readonly manifest: Manifest;
    readonly stock: Stock;
  },
  losses: readonly Loss[],
): Promise<Refusal[]> {
  const ways = new Map<string, string>();
  return await Array.fromAsync(losses, async (loss) => {
    const refusal = refusalOf(loss, { workspace: place.directory });
    const repo = stock.repos.find(({ name, known }) => known && name === loss.repo);
    if (repo === undefined || !["uncommitted", "commits"].includes(loss.kind)) return refusal;
    const directory = join(place.directory, repo.path);
    const base = manifest.repos.find(({ name }) => name === repo.name)?.branch ?? "";
    const fix = ways.get(repo.name) ??
      wayOut({ repo, directory, base, isOvertaken: await overtaken(ctx, directory, repo) });
    ways.set(repo.name, fix);
    return { ...refusal, fix };
  });
}
