/** Where the work of a ticket's branch is, besides in the branch itself. */

import type { CommandContext } from "../../contract/mod.ts";
import type { Landing } from "../../git/mod.ts";
import { compareWithBase } from "../../workspace/clones/mod.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import { inPoolOf, type TicketState } from "../../workspace/mod.ts";
import { directoriesOf, type TicketPlace } from "./preflight.ts";

/**
 * Where else the work of a branch is: in the base branch in some form, or only on the remote. `here` is the
 * base branch of this clone, where that of the remote has the work in no form. `absent` means that there is no
 * branch to look at, null that it is nowhere else.
 */
export type FoundIn =
  | "merged"
  | "here"
  | "pushed"
  | "squashed"
  | "rebased"
  | "content"
  | "absent"
  | null;

/** Where the work of a commit was found. */
interface Found {
  /** Commits that are nowhere else, in any form. */
  readonly unmerged: number;
  readonly kept: FoundIn;
  /** The one commit that has it, when it was squashed. */
  readonly commit: string | null;
  /** Why it could not be looked for everywhere, or null. */
  readonly unknown: string | null;
  /** Whether what comes before those commits is in a base branch, in another form than its commits. */
  readonly inPart?: true;
  /** Whether a base branch here has it that was not pushed. */
  readonly inUnpushedBase?: boolean;
}

/** A branch of a ticket, and where it and its bases point. */
export interface Branch {
  readonly directory: string;
  readonly repo: string;
  readonly name: string;
  readonly local: string | null;
  readonly remote: string | null;
  readonly bases: readonly string[];
  /** Its commit up to which its work was in a base branch when that was looked at last; absent where nothing was. */
  readonly until?: string | undefined;
  /** Where the bases are at the remote; empty where none is there, and absent where it is not asked for. */
  readonly remoteBases?: readonly string[];
  /** What it is a fork of, where a base branch follows that: the names of the bases there, and where they are. */
  readonly parent?: { readonly names: readonly string[]; readonly tips: readonly string[] };
}

/** Asks where a branch and its bases point. */
export async function branchAt(
  ctx: CommandContext,
  at: Pick<Branch, "directory" | "repo" | "name" | "until">,
  baseBranches: readonly string[],
): Promise<Branch> {
  const here = `refs/heads/${at.name}`;
  const there = `refs/remotes/origin/${at.name}`;
  const clone = ctx.git.at(at.directory, at.repo);
  const names: string[] = [];
  const followed: { readonly ref: string; readonly name: string }[] = [];
  for (const base of baseBranches) {
    const its = await clone.refs.base(base);
    const { ref } = its;
    followed.push(its);
    // What a fork has is kept there, too.
    names.push(...new Set([ref, `refs/remotes/origin/${base}`]), `refs/heads/${base}`);
  }
  const refs = await clone.refs.list([here, there, ...names]);
  const basesAt = (where: string) => [
    ...new Set(
      names.filter((name) => name.startsWith(where)).flatMap((name) => refs.get(name) ?? []),
    ),
  ];
  return {
    ...at,
    local: refs.get(here) ?? null,
    remote: refs.get(there) ?? null,
    bases: basesAt("refs/"),
    remoteBases: basesAt("refs/remotes/"),
    ...(followed.every(({ name }) => name.startsWith("origin/")) ? {} : {
      parent: {
        names: followed.map(({ name }) => name),
        tips: followed.flatMap(({ ref }) => refs.get(ref) ?? []),
      },
    }),
  };
}

/** Where the work of one commit is. */
async function whereIs(
  ctx: CommandContext,
  { directory, repo, remote, until, bases, remoteBases: there = bases }: Branch,
  tip: string,
  pushed: string | null,
): Promise<Found> {
  const { history, integrated } = ctx.git.at(directory, repo);
  const found = (kept: FoundIn, commit: string | null = null): Found => ({
    unmerged: 0,
    kept,
    commit,
    unknown: null,
  });
  const landingIn = async (commits: readonly string[]): Promise<Landing | null> => {
    let landing: Landing | null = null;
    for (const base of commits) {
      landing = await integrated.find(tip, base);
      if (landing.how !== null) break;
    }
    return landing;
  };
  const unmerged = await history.countBeyond(tip, bases);
  if (unmerged === 0) {
    const isOnlyHere = bases.some((base) => !there.includes(base)) &&
      await history.countBeyond(tip, there) > 0;
    if (!isOnlyHere) return found("merged");
    // What was committed to the base branch here went with the ticket, and may be there in another form.
    const landing = await landingIn(there);
    const how = landing?.how ?? null;
    return how === null ? found("here") : found(how, landing?.commit ?? null);
  }
  if (
    pushed !== null && await history.countBeyond(tip, [...bases, pushed]) === 0
  ) {
    return found("pushed");
  }
  const landing = await landingIn(there);
  if (landing !== null && landing.how !== null) return found(landing.how, landing.commit);
  const only = await landingIn(bases.filter((base) => !there.includes(base)));
  if (only !== null && only.how !== null) return found("here");
  // What is there up to a commit is counted no more than where it is told how the branch stands.
  const likely = [remote, until ?? null].filter((id) => id !== null && id !== tip) as string[];
  for (const base of likely.length === 0 ? [] : bases) {
    const known = await integrated.until(tip, base, { likely, guess: false });
    if (known === null) continue;
    const left = await history.countBeyond(tip, [...bases, known]);
    return { unmerged: left, kept: null, commit: null, unknown: null, inPart: true };
  }
  return { unmerged, kept: null, commit: null, unknown: (landing ?? only)?.unknown ?? null };
}

/**
 * The base branches of the repository that a clone is a fork of, where merged work is in that of the fork alone. Empty
 * where it is in both, or the clone is of no fork. No process for that.
 */
export async function lackedBy(
  ctx: CommandContext,
  { parent, ...branch }: Branch,
  cleanup: boolean,
): Promise<readonly string[]> {
  if (parent === undefined) return [];
  const bases = parent.tips;
  const { kept } = await worstOf(ctx, { ...branch, bases, remoteBases: bases }, cleanup);
  return kept === null || kept === "pushed" ? parent.names : [];
}

/**
 * Where the work of a branch is kept when it is deleted; of the local and the remote one, the worse. What is deleted at
 * the remote has to be in a base branch there: that of this machine may never have been pushed.
 */
export async function worstOf(
  ctx: CommandContext,
  branch: Branch,
  cleanup: boolean,
): Promise<Found> {
  const { local, remote } = branch;
  const tips = new Set([local, ...(cleanup ? [remote] : [])].filter((tip) => tip !== null));
  // With the remote branch gone too, only the base branch keeps the work.
  const keeper = cleanup ? null : remote;
  let worst: Found = {
    unmerged: 0,
    kept: tips.size === 0 ? "absent" : "merged",
    commit: null,
    unknown: null,
  };
  for (const tip of tips) {
    // Where the base branch was renamed or deleted there, nothing has shown that the remote has the work elsewhere.
    const bases = tip === remote && cleanup ? branch.remoteBases ?? branch.bases : branch.bases;
    const found = await whereIs(ctx, { ...branch, bases }, tip, keeper);
    if (found.kept === null ? found.unmerged > worst.unmerged : worst.kept === "merged") {
      const { history } = ctx.git.at(branch.directory, branch.repo);
      const inUnpushedBase = found.kept === null && bases !== branch.bases &&
        await history.countBeyond(tip, branch.bases) === 0;
      worst = { ...found, inUnpushedBase };
    }
  }
  return worst;
}

/** The branches that a ticket's work in a repository may have been merged into. */
export function basesOf(repo: Repo, ticket: TicketState): string[] {
  const selections = Array.isArray(ticket["repo_selections"]) ? ticket["repo_selections"] : [];
  const sources = selections.flatMap((entry: unknown) => {
    const { repo: name, source_branch: source } = (entry ?? {}) as Record<string, unknown>;
    return name === repo.name && typeof source === "string" ? [source] : [];
  });
  return [...new Set([repo.branch, ...sources])];
}

/** Those of some repositories of a ticket whose work is in a base branch at the remote, as a status means it. */
export async function mergedAmong(
  ctx: CommandContext,
  place: TicketPlace,
  ticket: TicketState,
  names: readonly string[],
): Promise<string[]> {
  const directories = await directoriesOf(ctx, place);
  const repos = place.manifest.repos.filter(({ name, enabled }) => enabled && names.includes(name));
  const found = await inPoolOf(ctx, "checking", repos, async (repo) => {
    const at = {
      directory: directories(repo.name),
      repo: repo.name,
      name: ticket.repos[repo.name] ?? "",
    };
    if (await ctx.git.at(at.directory).activity() === null) return [];
    const branch = await branchAt(ctx, at, basesOf(repo, ticket));
    const { kept } = await worstOf(ctx, branch, true);
    const isElsewhere = kept !== null && kept !== "pushed" && kept !== "here";
    return isElsewhere && (kept !== "merged" || await hadWork(ctx, place, branch))
      ? [repo.name as string]
      : [];
  });
  return found.flat();
}

/** Whether a branch had commits of its own, all of which a base branch has: one that never had any is not merged. */
async function hadWork(
  ctx: CommandContext,
  { state }: TicketPlace,
  { directory, repo, name, local, remote, remoteBases = [] }: Branch,
): Promise<boolean> {
  if (local === null) return true;
  const clone = ctx.git.at(directory, repo);
  const lastPush = state.repos.find((each) => each.name === repo)?.last_push;
  const found = remoteBases.map(async (base) => {
    const tips = { branch: name, commit: local, base, own: remote ?? undefined };
    const { as } = await compareWithBase(clone, tips, { lastPush });
    return as !== null && as !== "contained";
  });
  return (await Promise.all(found)).some(Boolean);
}
