/** What is in the workspace of a ticket that is to go, and where else its commits are (LEAVE-1). */

import { join } from "@std/path";
import type { CommandContext } from "../../../contract/mod.ts";
import type { Sha } from "../../../base/ids.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { type RepoStock, type Stock } from "../../../workspace/removal/mod.ts";
import { type GivenUp, splitRefs } from "../../removal/leaving.ts";
import type { Loss } from "../../removal/losses.ts";
import { inPoolOf } from "../../../workspace/mod.ts";
import { type FoundIn, worstOf } from "../branch_work.ts";
import type { OwnWorkspace } from "../preflight.ts";

/** A branch whose commits no remote has, and whose work is on the base branch in another form. */
export interface Integrated {
  readonly repo: string;
  readonly branch: string;
  readonly how: FoundIn;
  readonly into: string;
  readonly as_commit: string | null;
}

/** The commits of one clone that its remote lacks, told apart. */
interface Own {
  readonly landed: readonly Integrated[];
  readonly losses: readonly Loss[];
  /** Branches that need not be on the remote. */
  readonly without: ReadonlySet<string>;
  /** Whether a commit that is checked out on no branch is given up. */
  readonly head: boolean;
  /** Commits of base branches that have what landed: those the remote must have. */
  readonly bases: readonly { readonly name: string; readonly commit: Sha }[];
}

/** What is said of a clone whose remote has all of its commits. */
export const NO_COMMITS: Own = {
  landed: [],
  losses: [],
  without: new Set(),
  head: false,
  bases: [],
};

/** Where the commits are that no remote of a clone is known to have. Where there are none, no process. */
async function ownOf(
  ctx: CommandContext,
  directory: string,
  repo: RepoStock,
  { base, saved }: {
    readonly base: string;
    /** A branch that has been brought elsewhere, or null. */
    readonly saved: string | null;
  },
): Promise<Own> {
  if (repo.unpushed.length === 0) return NO_COMMITS;
  const { history, refs } = ctx.git.at(directory, repo.name);
  const { ref } = await refs.base(base);
  const into = (await refs.list([ref])).get(ref);
  const landed: Integrated[] = [];
  const losses: Loss[] = [];
  const without = new Set<string>();
  const stuck = (count: number, where: string): Loss => ({
    repo: repo.name,
    kind: "commits",
    count,
    items: [where],
  });
  for (const { name: branch, commit } of repo.branches) {
    const commits = await history.unpushedCount(`refs/heads/${branch}`);
    if (commits === 0) continue;
    without.add(branch);
    if (branch === saved) continue;
    const found = into === undefined ? null : await worstOf(ctx, {
      directory,
      repo: repo.name,
      name: branch,
      local: commit,
      remote: null,
      bases: [into],
    }, true);
    if (found === null || found.unmerged > 0) {
      losses.push(stuck(commits, `on ${cleanLine(branch, 60)}`));
    } else {
      landed.push({
        repo: repo.name,
        branch,
        how: found.kept,
        into: base,
        as_commit: found.commit,
      });
    }
  }
  const isDetached = repo.branch === null && repo.head !== null;
  const head = isDetached && await history.unpushedCount("HEAD") > 0;
  // A branch that has them is told already.
  const loose = head
    ? await history.unpushedCount("HEAD", repo.branches.map(({ name }) => `refs/heads/${name}`))
    : 0;
  return {
    landed,
    losses: [...losses, ...(loose === 0 ? [] : [stuck(loose, "on no branch")])],
    without,
    head,
    bases: landed.length === 0 || into === undefined ? [] : [{ name: base, commit: into }],
  };
}

/** What was found, with the commits of each clone that can be read. */
export interface Looked {
  readonly stock: Stock;
  readonly parts: ReadonlyMap<string, Own>;
  /** Commits and tags that are on no branch. */
  readonly refs: ReadonlyMap<string, GivenUp & { readonly losses: readonly Loss[] }>;
}

/** The clones that can be read. */
export function usableOf(stock: Stock): readonly RepoStock[] {
  return stock.repos.filter((repo) => repo.known && repo.problem === null);
}

/** Looks at every clone of a workspace of which stock was taken. */
export async function inspectClones(
  ctx: CommandContext,
  { directory, record }: OwnWorkspace,
  { stock, home }: { readonly stock: Stock; readonly home: boolean },
): Promise<Looked> {
  const each = async <T>(look: (place: string, repo: RepoStock) => Promise<T>) =>
    new Map(
      await inPoolOf(
        ctx,
        "checking",
        usableOf(stock),
        async (repo) => [repo.name, await look(join(directory, repo.path), repo)] as const,
      ),
    );
  const parts = await each((place, repo) => {
    const { base = "", branch = "", role } = record.repos[repo.name] ?? {};
    return ownOf(ctx, place, repo, { base, saved: home && role === "work" ? branch : null });
  });
  return { stock, parts, refs: await each((place, repo) => splitRefs(ctx, place, repo)) };
}
