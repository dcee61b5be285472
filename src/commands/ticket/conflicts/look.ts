/**
 * Tries the merges of the tickets of one repository: each with its base branch, and each with each other
 * (TICKET-10).
 *
 * Costs three git processes, and one for each ticket that has a clone of its own. The active ticket costs one
 * more, and each with uncommitted work up to two more.
 */

import type { CommandContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import type { Repository } from "../../../git/mod.ts";
import { type Conflict, Merging, type Pair } from "../../../git/write/mod.ts";
import type { Sha } from "../../../base/ids.ts";
import type { Repo } from "../../../workspace/manifest/mod.ts";
import type { OpenTicket } from "./open_tickets.ts";
import { getWhole } from "../../advice/clone.ts";
import { baseOf } from "../../../workspace/tickets/mod.ts";

/** What two sides come to in one repository; `b` is null for the base branch of `a`. */
interface Meeting {
  readonly a: string;
  readonly b: string | null;
  /** Null where it could not be told. */
  readonly conflicts: readonly Conflict[] | null;
  /** Why not. */
  readonly reason: string | null;
  /** The command after which it can; null where none is known. */
  readonly fix: string | null;
}

/** What was found out about one repository. */
export interface Look {
  readonly meetings: readonly Meeting[];
  /** How many merges git tried. */
  readonly merges: number;
  /** Uncommitted work of tickets, where there is any and somebody asked. */
  readonly uncommitted: readonly Work[];
}

const TRUNCATED = "its history here ends before they meet";

/** The uncommitted work of a ticket, with why it does not count; null where it does. */
interface Work {
  readonly ticket: string;
  readonly left: string | null;
}

/** What is asked about uncommitted work, and where its commits are kept. */
interface Asked {
  readonly scratch: string;
  readonly uncommitted: boolean;
}

/** A side that stands in a working copy. */
interface WorkingSide {
  readonly side: Side;
  readonly work: Work | null;
}

/** A side of a merge: its commit, or why there is none. */
type Side = { readonly commit: Sha } | { readonly reason: string };

/** The commit of a branch here, else of the remote's as it was last fetched. */
function sideOf(refs: ReadonlyMap<string, Sha>, names: readonly string[], reason: string): Side {
  const commit = names.flatMap((name) => refs.get(name) ?? [])[0];
  return commit === undefined ? { reason } : { commit };
}

/** A ticket and the branch that it has in a repository. */
interface Whose {
  readonly ticket: string;
  readonly branch: string;
}

/** A branch with the uncommitted work on it, where it is checked out; null where it is not. */
async function withWork(
  ctx: CommandContext,
  clone: Repository,
  { ticket, branch }: Whose,
  scratch: string,
): Promise<{ readonly commit: Sha | null; readonly work: Work | null } | null> {
  if (await clone.branches.current() !== branch) return null;
  const left = (why: string) => ({ commit: null, work: { ticket, left: why } });
  const middle = (await clone.activity())?.inProgress ?? null;
  if (middle !== null) return left(`a ${middle} is in progress`);
  const title = { id: ctx.system.ids.hex(8), branch, name: branch, at: ctx.system.clock.now() };
  try {
    const found = await clone.part(Merging).standing(scratch, title);
    if (found === null) return null;
    const { head, work } = found;
    return { commit: work ?? head, work: work === null ? null : { ticket, left: null } };
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof AmofError)) throw error;
    return left(error.message);
  }
}

/** The commit of a branch in the clone that a ticket has of its own, with what is not committed there. */
async function ownSide(
  ctx: CommandContext,
  clone: Repository,
  whose: Whose,
  { scratch, uncommitted }: Asked,
): Promise<WorkingSide> {
  const ref = `refs/heads/${whose.branch}`;
  const missing = `its workspace has no branch ${whose.branch}`;
  try {
    if (await clone.gitDirectory() === null) return { side: { reason: missing }, work: null };
    const found = uncommitted ? await withWork(ctx, clone, whose, scratch) : null;
    const work = found?.work ?? null;
    if (found !== null && found.commit !== null) return { side: { commit: found.commit }, work };
    return { side: sideOf(await clone.refs.list([ref]), [ref], missing), work };
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof AmofError)) throw error;
    return { side: { reason: error.message }, work: null };
  }
}

/** A branch of the base workspace's clone, with what is not committed there where its ticket is the active one. */
async function sharedSide(
  ctx: CommandContext,
  clone: Repository,
  { ticket, branch, refs, active }: Whose & Pick<MergeInputs, "refs"> & Pick<OpenTicket, "active">,
  { scratch, uncommitted }: Asked,
): Promise<WorkingSide> {
  const side = sideOf(
    refs,
    [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`],
    `its branch ${branch} is neither here nor among what was fetched`,
  );
  if (!active || !uncommitted || "reason" in side) return { side, work: null };
  const found = await withWork(ctx, clone, { ticket, branch }, scratch);
  return { side: { commit: found?.commit ?? side.commit }, work: found?.work ?? null };
}

/** What the merges of one repository are made of. */
interface MergeInputs {
  readonly repo: Repo;
  readonly candidates: readonly OpenTicket[];
  /** The refs of their base branches at the remotes, by name. */
  readonly bases: ReadonlyMap<string, string>;
  /** The commits of all branches that matter, by name of the ref. */
  readonly refs: ReadonlyMap<string, Sha>;
}

/** A merge that is wanted: two sides, and whose they are. */
interface Wanted extends Pick<Meeting, "a" | "b"> {
  readonly sides: readonly [Side, Side];
}

/** The branch that a ticket has in a repository. */
function branchOf({ ticket }: OpenTicket, repo: Repo): string {
  return ticket.repos[repo.name] ?? "";
}

/** The commits of the branches of tickets, and of their bases. One git process. */
async function refsOf(
  clone: Repository,
  repo: Repo,
  candidates: readonly OpenTicket[],
): Promise<Pick<MergeInputs, "bases" | "refs">> {
  const branches = candidates.map((each) => branchOf(each, repo));
  const bases = new Map<string, string>();
  for (const { ticket } of candidates) {
    const base = baseOf(ticket, repo);
    bases.set(base, (await clone.refs.base(base)).ref);
  }
  const refs = await clone.refs.list([
    ...new Set([
      ...branches.flatMap((name) => [`refs/heads/${name}`, `refs/remotes/origin/${name}`]),
      ...[...bases].flatMap(([name, there]) => [`refs/heads/${name}`, there]),
    ]),
  ]);
  return { bases, refs };
}

/** The side of each ticket, and what became of its uncommitted work, where that is asked for. */
async function sidesOf(
  ctx: CommandContext,
  clone: Repository,
  { repo, candidates, refs }: MergeInputs,
  asked: Asked,
): Promise<{ readonly sides: ReadonlyMap<string, Side> } & Pick<Look, "uncommitted">> {
  const sides = new Map<string, Side>();
  const uncommitted: Work[] = [];
  for (const candidate of candidates) {
    const { id: ticket, active, clones } = candidate;
    const whose = { ticket, branch: branchOf(candidate, repo) };
    const own = clones?.[repo.name];
    const { side, work } = own === undefined
      ? await sharedSide(ctx, clone, { ...whose, refs, active }, asked)
      : await ownSide(ctx, ctx.git.at(own, repo.name), whose, asked);
    sides.set(ticket, side);
    if (work !== null) uncommitted.push(work);
  }
  return { sides, uncommitted };
}

/** Each ticket with its base branch, and with each ticket after it. */
function wantedOf(
  { repo, candidates, bases, refs }: MergeInputs,
  sides: ReadonlyMap<string, Side>,
): readonly Wanted[] {
  const side = (id: string) => sides.get(id) ?? { reason: "" };
  return candidates.flatMap(({ id: a, ticket }, index): Wanted[] => {
    const base = baseOf(ticket, repo);
    const main = sideOf(
      refs,
      [bases.get(base) ?? "", `refs/heads/${base}`],
      `its base branch ${base} was not fetched`,
    );
    const others = candidates.slice(index + 1);
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
  { directory, candidates, scratch, uncommitted }: {
    /** Where the clone is. */
    readonly directory: string;
    readonly candidates: readonly OpenTicket[];
    readonly scratch: string;
    readonly uncommitted: boolean;
  },
): Promise<Look> {
  const ground: MergeInputs = { repo, candidates, ...await refsOf(clone, repo, candidates) };
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
  const clones = candidates.flatMap(({ clones }) => clones?.[repo.name] ?? []);
  const cut: string[] = [];
  for (const each of [directory, ...clones]) {
    if (await ctx.git.at(each).history.isShallowHere()) cut.push(each);
  }
  const merged = like === undefined ? [] : await clone.part(Merging)
    .conflicts([...tried.values()], { scratch, like, clones, isCut: cut.length > 0 });
  const found = new Map([...tried.keys()].map((key, index) => [key, merged[index] ?? null]));
  const meetings = merges.map(({ a, b, key, reason }): Meeting => {
    if (key === null) return { a, b, conflicts: null, reason, fix: null };
    const conflicts = key === "" ? [] : found.get(key) ?? null;
    if (conflicts !== null) return { a, b, conflicts, reason: null, fix: null };
    return { a, b, conflicts, reason: TRUNCATED, fix: getWhole(cut[0] ?? directory) };
  });
  return { meetings, merges: tried.size, uncommitted: work };
}
