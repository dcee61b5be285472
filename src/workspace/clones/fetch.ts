/**
 * Fetches a repository: in the base workspace from its remote, in a ticket from the mirror it borrows from, which all
 * tickets fetch together (MIRROR-7).
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { logLines } from "../../git/changing.ts";
import { loadManifest, type Repo } from "../manifest/manifest.ts";
import { freshMirror } from "../mirrors/mod.ts";
import type { RepoCounter } from "../progress.ts";
import { requireTicketWorkspace } from "../tickets/record.ts";
import type { Transfers } from "./transfer.ts";

/** What became of the mirror of a repository: it was asked of the remote, or was so moments ago. */
export type MirrorResult = "fetched" | "fresh";

/** From where repositories are fetched. */
export interface Sources {
  readonly transfers: Transfers;
  readonly tally: Pick<RepoCounter, "begin">;
  /** How old, in seconds, what a mirror has may be. */
  readonly fresh: number;
  /** Where the base workspace has the clone of a repository that borrows from a mirror; nothing of all others. */
  readonly bases: ReadonlyMap<string, string>;
  /** Whether git's notes of what was fetched last stay as they are: the fetch comes before anybody has agreed to anything. */
  readonly unnoted?: boolean;
  /** Base branches besides those of the manifest, such as of tickets; none when absent. */
  readonly also?: readonly string[];
}

/** Where the base workspace has the repositories of a ticket that borrow, by name; empty in the base workspace. */
export async function borrowing(ctx: ExecuteContext): Promise<ReadonlyMap<string, string>> {
  if (ctx.ticket === null) return new Map();
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const { record } = await requireTicketWorkspace(ctx.system, ctx.root, manifest, ctx.ticket);
  return new Map(
    manifest.repos.filter(({ name }) => (record.repos[name]?.mirror ?? null) !== null)
      .map(({ name, path }) => [name, join(ctx.root, manifest.workspaceDir, path)]),
  );
}

/** Another remote than `origin` that a base branch follows, and why it was not fetched. */
export interface Unfetched {
  readonly remote: string;
  readonly error: AmofError;
}

/**
 * Fetches the other remotes that the base branches of a repository follow (WORKSPACE-35), and answers which could not be.
 * Throws `cancelled`. One git process for each, which most repositories have none of.
 */
export async function fetchOthers(
  ctx: ExecuteContext,
  { transfers, also = [] }: Sources,
  repo: Repo,
  directory: string,
): Promise<readonly Unfetched[]> {
  const { branches, remotes } = ctx.git.at(directory, repo.name);
  const onLine = logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "debug" });
  const unfetched: Unfetched[] = [];
  for (const { remote, url } of await branches.elsewhere([repo.branch, ...also])) {
    try {
      await transfers.turn(ctx, { name: repo.name, url }, () => remotes.fetchOther(remote, onLine));
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
      unfetched.push({ remote, error });
    }
  }
  return unfetched;
}

/**
 * Fetches a repository, from the other remotes that its base branches follow, too; null where it was fetched from its
 * remote itself. By the processes of {@linkcode fetchOrigin} and {@linkcode fetchOthers}.
 */
export async function fetchRepo(
  ctx: ExecuteContext,
  sources: Sources,
  repo: Repo,
  directory: string,
): Promise<MirrorResult | null> {
  const mirror = await fetchOrigin(ctx, sources, repo, directory);
  const [first] = await fetchOthers(ctx, sources, repo, directory);
  if (first !== undefined) throw first.error;
  return mirror;
}

/**
 * Fetches a repository from `origin` alone; null where it was fetched from there itself. One git process; a second one
 * where a mirror is not fresh, and two more where a fresh one knows less than the clone.
 */
export async function fetchOrigin(
  ctx: ExecuteContext,
  { transfers, tally, fresh, bases, unnoted }: Sources,
  repo: Repo,
  directory: string,
): Promise<MirrorResult | null> {
  const { remotes } = ctx.git.at(directory, repo.name);
  const from = bases.get(repo.name);
  if (from !== undefined) {
    tally.begin(repo.name);
    // Where the mirror is comes from the address alone: whoever works in the ticket can write its record.
    const mirror = await freshMirror(ctx, repo, { fresh, transfers, from });
    if (mirror !== null) {
      const wentBack = await remotes.fetchFromMirror(mirror.directory, unnoted);
      if (mirror.result !== "fresh") return "fetched";
      if (!wentBack || fresh === Infinity) return "fresh";
      // Whoever pushed from here since the mirror was fetched knew more; only the remote can tell.
      const newer = await freshMirror(ctx, repo, { fresh: 0, transfers, from });
      if (newer !== null) await remotes.fetchFromMirror(newer.directory, unnoted);
      return "fetched";
    }
  }
  const onLine = logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "debug" });
  await transfers.turn(ctx, repo, () => {
    tally.begin(repo.name);
    return remotes.fetch(repo.branch, onLine, unnoted);
  });
  return null;
}

/**
 * The branch that the remote calls its default now, where that is not the base branch; the clone knows it by then. Null
 * where it is the same, or nobody can tell.
 */
export async function defaultInstead(
  ctx: ExecuteContext,
  repo: Repo,
  directory: string,
): Promise<string | null> {
  try {
    const { remoteRefs, branches } = ctx.git.at(directory, repo.name);
    const { defaultBranch } = await remoteRefs.introduce("origin", null);
    if (defaultBranch === null || defaultBranch === repo.branch) return null;
    await branches.followDefault(defaultBranch);
    return defaultBranch;
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    return null;
  }
}
