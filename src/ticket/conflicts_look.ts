/**
 * Tries the merges of the tickets of one repository: each with its base branch, and each with each other (TICKET-10).
 *
 * Three git processes, one for each ticket that has a clone of its own; one more for the active ticket, and where that has uncommitted work up to two besides.
 *
 * @module
 */

import type { CommandContext } from "../contract/mod.ts";
import { AmofError } from "../error.ts";
import type { Conflict, Pair, Repository } from "../git/mod.ts";
import type { Sha } from "../ids.ts";
import type { Repo } from "../workspace/mod.ts";
import type { Contender } from "./contenders.ts";
import { baseOf } from "./update_plan.ts";

/** What two sides come to in one repository; `b` is null for the base branch of `a`. */
interface Meeting {
  readonly a: string;
  readonly b: string | null;
  /** Null where it could not be told. */
  readonly conflicts: readonly Conflict[] | null;
  /** Why not. */
  readonly reason: string | null;
}

/** What was found out about one repository. */
export interface Look {
  readonly meetings: readonly Meeting[];
  /** How many merges git tried. */
  readonly merges: number;
  /** The active ticket's uncommitted work: counted, or why it was not; null where there is none, or nobody asked. */
  readonly uncommitted: "counted" | { readonly left: string } | null;
}

/** A side of a merge: its commit, or why there is none. */
type Side = { readonly commit: Sha } | { readonly reason: string };

/** The commit of a branch here, else of the remote's as it was last fetched. */
function sideOf(refs: ReadonlyMap<string, Sha>, names: readonly string[], reason: string): Side {
  const commit = names.flatMap((name) => refs.get(name) ?? [])[0];
  return commit === undefined ? { reason } : { commit };
}

/** The commit of a branch in the clone that a ticket has of its own. */
async function ownSide(ctx: CommandContext, directory: string, branch: string): Promise<Side> {
  const missing = `its workspace has no branch ${branch}`;
  try {
    const clone = ctx.git.at(directory);
    if (await clone.gitDirectory() === null) return { reason: missing };
    return sideOf(
      await clone.refs.list([`refs/heads/${branch}`]),
      [`refs/heads/${branch}`],
      missing,
    );
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof AmofError)) throw error;
    return { reason: error.message };
  }
}

/** The uncommitted work of the active ticket as a commit that only the scratch directory knows. */
async function withWork(
  ctx: CommandContext,
  clone: Repository,
  { branch, head, scratch }: {
    readonly branch: string;
    readonly head: Sha;
    readonly scratch: string;
  },
): Promise<Pick<Look, "uncommitted"> & { readonly commit: Sha }> {
  const left = (why: string) => ({ uncommitted: { left: why }, commit: head });
  if (await clone.headBranch() !== branch) return { uncommitted: null, commit: head };
  const middle = (await clone.activity())?.inProgress ?? null;
  if (middle !== null) return left(`a ${middle} is in progress`);
  const title = { id: ctx.system.ids.hex(8), branch, name: branch, at: ctx.system.clock.now() };
  try {
    const commit = await clone.merging.uncommitted(scratch, head, title);
    return commit === null
      ? { uncommitted: null, commit: head }
      : { uncommitted: "counted", commit };
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof AmofError)) throw error;
    return left(error.message);
  }
}

/** What the merges of one repository are made of. */
interface Ground {
  readonly repo: Repo;
  readonly contenders: readonly Contender[];
  /** The commits of all branches that matter, by name of the ref. */
  readonly refs: ReadonlyMap<string, Sha>;
}

/** A merge that is wanted: two sides, and whose they are. */
interface Wanted extends Pick<Meeting, "a" | "b"> {
  readonly sides: readonly [Side, Side];
}

/** The branch that a ticket has in a repository. */
function branchOf({ ticket }: Contender, repo: Repo): string {
  return ticket.repos[repo.name] ?? "";
}

/** The commits of the branches of tickets, and of their bases. One git process. */
async function refsOf(
  clone: Repository,
  repo: Repo,
  contenders: readonly Contender[],
): Promise<ReadonlyMap<string, Sha>> {
  const branches = contenders.map((each) => branchOf(each, repo));
  const bases = contenders.map(({ ticket }) => baseOf(ticket, repo));
  return await clone.refs.list(
    [...new Set([...branches, ...bases])].flatMap((
      name,
    ) => [`refs/heads/${name}`, `refs/remotes/origin/${name}`]),
  );
}

/** The side of each ticket, and what became of the active one's uncommitted work, where that is asked for. */
async function sidesOf(
  ctx: CommandContext,
  clone: Repository,
  { repo, contenders, refs }: Ground,
  { scratch, uncommitted }: { readonly scratch: string; readonly uncommitted: boolean },
): Promise<{ readonly sides: ReadonlyMap<string, Side> } & Pick<Look, "uncommitted">> {
  const sides = new Map<string, Side>();
  let work: Look["uncommitted"] = null;
  for (const contender of contenders) {
    const { id, active, clones } = contender;
    const branch = branchOf(contender, repo);
    const own = clones?.[repo.name];
    if (own !== undefined) {
      sides.set(id, await ownSide(ctx, own, branch));
      continue;
    }
    let side = sideOf(
      refs,
      [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`],
      `its branch ${branch} is neither here nor among what was fetched`,
    );
    if (active && uncommitted && "commit" in side) {
      const found = await withWork(ctx, clone, { branch, head: side.commit, scratch });
      side = { commit: found.commit };
      work = found.uncommitted;
    }
    sides.set(id, side);
  }
  return { sides, uncommitted: work };
}

/** Each ticket with its base branch, and with each ticket after it. */
function wantedOf(
  { repo, contenders, refs }: Ground,
  sides: ReadonlyMap<string, Side>,
): readonly Wanted[] {
  const side = (id: string) => sides.get(id) ?? { reason: "" };
  return contenders.flatMap(({ id: a, ticket }, index): Wanted[] => {
    const base = baseOf(ticket, repo);
    const main = sideOf(
      refs,
      [`refs/remotes/origin/${base}`, `refs/heads/${base}`],
      `its base branch ${base} was not fetched`,
    );
    const others = contenders.slice(index + 1);
    return [
      { a, b: null, sides: [side(a), main] },
      ...others.map(({ id: b }): Wanted => ({ a, b, sides: [side(a), side(b)] })),
    ];
  });
}

/** The key of a merge, empty where both sides are one commit; null with the reason where a side is missing. */
function keyed({ a, b, sides: [one, other] }: Wanted): {
  readonly key: string | null;
  readonly pair: Pair | null;
} & Pick<Meeting, "a" | "b" | "reason"> {
  const missing = (reason: string) => ({ a, b, key: null, pair: null, reason });
  if ("reason" in one) return missing(one.reason);
  if ("reason" in other) return missing(b === null ? other.reason : `of ${b}, ${other.reason}`);
  if (one.commit === other.commit) return { a, b, key: "", pair: null, reason: null };
  const pair: Pair = [one.commit, other.commit];
  return { a, b, key: pair.join(" "), pair, reason: null };
}

/** Tries all merges of one repository. Throws where it cannot be read. */
export async function lookForConflicts(
  ctx: CommandContext,
  clone: Repository,
  repo: Repo,
  { contenders, scratch, uncommitted }: {
    readonly contenders: readonly Contender[];
    readonly scratch: string;
    readonly uncommitted: boolean;
  },
): Promise<Look> {
  const ground: Ground = { repo, contenders, refs: await refsOf(clone, repo, contenders) };
  const { sides, uncommitted: work } = await sidesOf(ctx, clone, ground, { scratch, uncommitted });
  const wanted = wantedOf(ground, sides);
  const merges = wanted.map(keyed);
  const tried = new Map(
    merges.flatMap(({ key, pair }) => key === null || pair === null ? [] : [[key, pair] as const]),
  );
  const main =
    wanted.flatMap(({ b, sides: [, side] }) =>
      b === null && "commit" in side ? [side.commit] : []
    )[0];
  const like = main ?? [...tried.values()][0]?.[0];
  const merged = like === undefined ? [] : await clone.merging.conflicts([...tried.values()], {
    scratch,
    like,
    clones: contenders.flatMap(({ clones }) => clones?.[repo.name] ?? []),
  });
  const found = new Map([...tried.keys()].map((key, index) => [key, merged[index] ?? []]));
  const meetings = merges.map(({ a, b, key, reason }): Meeting => ({
    a,
    b,
    conflicts: key === null ? null : found.get(key) ?? [],
    reason,
  }));
  return { meetings, merges: tried.size, uncommitted: work };
}
