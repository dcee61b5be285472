/** What a sync would do with one repository, as far as is known before the fetch. */

import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { list } from "../../base/text/words.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { Sha } from "../../base/ids.ts";
import type { Repository } from "../../git/mod.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import { repoDirectory, requireAdopted, whyOf } from "../../workspace/mod.ts";

/** What would be done with one repository. */
export interface SyncPlan {
  readonly name: string;
  readonly action: "clone" | "update" | "leave";
  /** Why it is left; absent where it is not. */
  readonly why?: string;
  /** The branches that go to where those of their remote are; absent where nothing is fetched. */
  readonly branches?: readonly string[];
  /** Those of them that stay, because they were rewritten there, as last fetched; absent for none. */
  readonly rewritten?: readonly string[];
  /** How its base branch, which it should be on, is at its remote, as last fetched, where it is at the commit of the lock. */
  readonly at_lock?: "behind" | "current";
}

/** One line about what would be done; whether a branch can move, nobody knows before the fetch. */
export function describe(
  { name, action, why, branches = [], rewritten = [] }: SyncPlan,
): string {
  if (why !== undefined) return `Leave ${name}: ${cleanLine(why, 200)}`;
  if (action === "clone") return `Clone ${name}`;
  const words = (names: readonly string[]) => list(names.map((branch) => cleanLine(branch, 60)));
  const moving = branches.filter((branch) => !rewritten.includes(branch));
  const [be, stay] = rewritten.length === 1 ? ["was", "stays"] : ["were", "stay"];
  return `Fetch ${name}${
    moving.length === 0 ? "" : `, and fast-forward ${words(moving)} where that is possible`
  }${rewritten.length === 0 ? "" : `; ${words(rewritten)} ${be} rewritten there, and ${stay}`}`;
}

/** Which of the branches of a clone were rewritten at the remote, as last fetched. No process. */
async function rewrittenOf(
  { refs }: Repository,
  branches: readonly string[],
  heads: ReadonlyMap<string, Sha>,
): Promise<readonly string[]> {
  const known = await Promise.all(branches.map(async (branch) => {
    const head = heads.get(`refs/heads/${branch}`);
    const { name } = await refs.base(branch);
    return head !== undefined && name === `origin/${branch}` &&
      await refs.since(branch, head) === "rewritten";
  }));
  return branches.filter((_, at) => known[at]);
}

/** Whether the remote of a base branch has another commit for it, as last fetched. No process. */
async function standingAt({ refs }: Repository, branch: string, commit: string) {
  const { ref } = await refs.base(branch);
  return ((await refs.peek([ref])).get(ref) ?? commit) === commit ? "current" : "behind";
}

/** What would be done with one repository; one whose place cannot be used stops no other. */
export async function planFor(
  ctx: CommandContext,
  workspace: string,
  repo: Repo,
  { branch, locked }: { readonly branch: string; readonly locked: string | null },
): Promise<SyncPlan> {
  const { name } = repo;
  try {
    const place = await repoDirectory(ctx.system, workspace, repo);
    // In a ticket nothing is cloned: what it had there cannot be had back from the remote alone.
    if (ctx.ticket !== null || (await ctx.system.files.list(place)).length > 0) {
      const branches = [...new Set([repo.branch, branch])];
      const clone = ctx.git.at(place, name);
      const heads = await clone.refs.peek(branches.map((one) => `refs/heads/${one}`));
      const rewritten = await rewrittenOf(clone, branches, heads);
      const isAtLock = locked !== null && branch === repo.branch &&
        heads.get(`refs/heads/${branch}`) === locked;
      return {
        name,
        action: "update",
        branches,
        ...(rewritten.length > 0 ? { rewritten } : {}),
        ...(isAtLock ? { at_lock: await standingAt(clone, branch, locked) } : {}),
      };
    }
    await requireAdopted(ctx.system, workspace, repo);
    return { name, action: "clone" };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return { name, action: "leave", why: whyOf(error) };
  }
}
