/**
 * Deleting the branches of a ticket: whether their work is somewhere else, and where.
 *
 * Costs two or three git processes per repository. Where commits are not in the base branch, up to eleven more
 * look for their changes in each of its base branches. Where a part of them may be there, it is as many again.
 */

import {
  inPoolOf,
  isRefusal,
  type Refusal,
  type TicketState,
  unlessRefused,
} from "../../workspace/mod.ts";
import { getWhole } from "../advice/clone.ts";
import { deleteRemoteBranch } from "../../workspace/changing.ts";
import { comparisonsIn, integratedIn } from "../../workspace/clones/mod.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import { type Repository, useFix, useText } from "../../git/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { foldedRepos, type Part } from "../../base/text/parts.ts";
import { count, few, list } from "../../base/text/words.ts";
import { isSelecting } from "../selection/mod.ts";
import {
  basesOf,
  type Branch,
  branchAt,
  type FoundIn,
  lackedBy,
  mergedAmong,
  worstOf,
} from "./branch_work.ts";
import { deleteBranch } from "./steps/branch.ts";
import { directoriesOf, type TicketPlace } from "./preflight.ts";
import { refusedIfStrayed } from "../outgoing/strayed.ts";
import { shortSha } from "../../base/ids.ts";

/** What is asked for. */
export interface CleanupInput {
  readonly ticket_id: string;
  readonly cleanup: boolean;
  readonly cleanup_local: boolean;
  readonly force: boolean;
  readonly offline?: boolean;
  /** What selects a part of the ticket. */
  readonly repos?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly only?: readonly string[] | undefined;
  /** The flag that commands need to mean its clones; absent for those of the base workspace. */
  readonly scope?: string;
}

/** A branch that goes. */
export interface CleanupFact {
  readonly name: string;
  readonly branch: string;
  /** The local commit, or null when there is no local branch. */
  readonly local: string | null;
  /** The remote's commit as last fetched, or null when it stays or is not there. */
  readonly remote: string | null;
  /** Whether the branch is left on the remote. */
  readonly stays_remote: boolean;
  /** Commits that only these branches have, in any form. */
  readonly unmerged: number;
  readonly kept_as: FoundIn;
  /** The branch that has the work, or null. */
  readonly in_branch: string | null;
  /** The one commit that has it, when it was squashed. */
  readonly as_commit: string | null;
  /** What somebody calls the branch now; absent where nobody gave it another name. */
  readonly renamed?: string;
}

/** What goes, and what stays although it was asked for. */
export interface Cleanup {
  readonly facts: readonly CleanupFact[];
  readonly staying: readonly { readonly name: string; readonly why: string }[];
}

/** Why a branch that is checked out somewhere cannot go, or null. */
export async function branchInUse(
  ctx: CommandContext,
  { directory, repo, name }: Pick<Branch, "directory" | "repo" | "name">,
  active: boolean,
): Promise<Refusal | null> {
  // A ticket that is active is left before its branch goes.
  const use = (await ctx.git.at(directory).worktrees.uses()).find((entry) =>
    entry.branch === name && !(entry.own && entry.doing === "checkout" && active)
  );
  return use === undefined ? null : {
    repo,
    code: "would_lose_work",
    problem: `cannot lose its branch: ${cleanLine(useText(use), 200)}`,
    fix: useFix(use, directory),
  };
}

/** How many commits nothing has any more without a branch; what only this machine has is no keeper of the remote's. */
async function lostWith(
  ctx: CommandContext,
  { directory, repo, name, local, remote }: Branch,
  both: boolean,
): Promise<number> {
  const { history } = ctx.git.at(directory, repo);
  const here = local === null ? 0 : await history.ownCount(name, both);
  const there = remote === null || !both ? 0 : await history.ownCountThere(name);
  return Math.max(here, there);
}

/** Whether the remotes were asked, which a preview alone does not do: what they have merged since is not known then. */
function wasAsked(
  { unasked }: Pick<CommandContext, "unasked">,
  { offline }: CleanupInput,
): boolean {
  return unasked !== undefined || offline === true;
}

/** What a branch that is not here is called now, where somebody gave it another name. No process where refs are files. */
export async function nameSince(
  { refs, branches }: Repository,
  branch: string,
): Promise<Pick<CleanupFact, "renamed">> {
  const { heads } = await refs.peekBranches([]);
  const renamed = await branches.renamedFrom(branch, [...heads.keys()]);
  return renamed === null ? {} : { renamed };
}

/** What deleting the branch of one repository would take with it, or why it is refused. */
async function cleanupFact(
  ctx: CommandContext,
  at: Pick<Branch, "directory" | "repo" | "name" | "until">,
  { baseBranches, input, active }: {
    readonly baseBranches: readonly string[];
    readonly input: CleanupInput;
    readonly active: boolean;
  },
): Promise<CleanupFact | Refusal> {
  const branch = await branchAt(ctx, at, baseBranches);
  const used = branch.local === null ? null : await branchInUse(ctx, branch, active);
  if (used !== null) return used;
  const worst = await worstOf(ctx, branch, input.cleanup);
  const { repo, local, remote } = branch;
  const lost = worst.unmerged === 0
    ? 0
    : Math.min(worst.unmerged, await lostWith(ctx, branch, input.cleanup));
  const into = list(baseBranches.map((base) => cleanLine(base, 60)), "or");
  const isBaseless = input.cleanup && remote !== null && branch.remoteBases?.length === 0;
  if (worst.unmerged > 0 && !input.force) {
    return {
      repo,
      code: "would_lose_work",
      problem: isBaseless
        ? `has no ${into} at its remote, so that nothing tells whether ${
          cleanLine(branch.name, 60)
        } is merged there`
        : `has ${count(worst.unmerged, "commit")} on ${cleanLine(branch.name, 60)} that ${
          input.cleanup || remote === null
            ? `${into} does not have${
              worst.inUnpushedBase === true
                ? " at the remote, only here"
                : worst.unknown === null
                ? `, neither as commits nor as changes${
                  wasAsked(ctx, input) ? "" : ", as last fetched"
                }`
                : ` (their changes could not be looked for: ${cleanLine(worst.unknown, 150)})`
            }`
            : `${worst.unmerged === 1 ? "is" : "are"} neither merged nor pushed`
        }`,
      fix: lost > 0
        ? worst.inPart && active ? onTop(input.ticket_id, repo, into) : worst.unknown !== null &&
            await ctx.git.at(branch.directory, repo).history.isShallowHere()
          ? `get all of its history first: ${getWhole(branch.directory)}\n`
          : ""
        : "another branch has all of them, so that this one can go: the same command with --force",
    };
  }
  const isKept = worst.kept !== null && !["pushed", "absent"].includes(worst.kept);
  const lack = isKept ? await lackedBy(ctx, branch, input.cleanup) : [];
  const fork = baseBranches.map((base) => cleanLine(`origin/${base}`, 60));
  return {
    name: repo,
    branch: branch.name,
    local,
    remote: input.cleanup ? remote : null,
    stays_remote: remote !== null && !input.cleanup,
    unmerged: lost,
    kept_as: worst.kept,
    in_branch: !isKept
      ? null
      : lack.length === 0
      ? into
      : `${list(fork, "or")} (not ${list(lack.map((name) => cleanLine(name, 60)), "or")})`,
    as_commit: worst.commit,
    ...local === null ? await nameSince(ctx.git.at(branch.directory, repo), branch.name) : {},
  };
}

/** What brings commits that follow merged ones to where they belong, as the status says it of the active ticket. */
function onTop(id: string, repo: string, into: string): string {
  return `bring what is new on top of ${into}: amof ticket update ${id} --repo ${repo}\n`;
}

/** Why a branch is not this ticket's to delete, or null. */
function refusalReason(
  place: TicketPlace,
  input: CleanupInput,
  { repo, branch, bases }: {
    readonly repo: Repo;
    readonly branch: string;
    readonly bases: readonly string[];
  },
): string | null {
  if (bases.includes(branch)) return "it is a base branch";
  const other = Object.entries(place.state.tickets)
    .find(([id, ticket]) => id !== input.ticket_id && ticket.repos[repo.name] === branch);
  return other === undefined ? null : `ticket ${cleanLine(other[0], 60)} works on it`;
}

/** Looks at the branches of a ticket that are to be deleted; throws one error for all that may not be. */
export async function planCleanup(
  ctx: CommandContext,
  place: TicketPlace,
  ticket: TicketState,
  input: CleanupInput,
): Promise<Cleanup> {
  if (!input.cleanup && !input.cleanup_local) return { facts: [], staying: [] };
  const directories = await directoriesOf(ctx, place);
  const staying: { name: string; why: string }[] = [];
  const going: { repo: Repo; branch: string; bases: string[] }[] = [];
  for (const [name, branch] of Object.entries(ticket.repos)) {
    const repo = place.manifest.repos.find((entry) => entry.name === name);
    const usable = repo !== undefined && repo.enabled && !repo.readonly;
    const bases = repo === undefined ? [] : basesOf(repo, ticket);
    const why = repo === undefined
      ? "the manifest has no such repository"
      : !usable
      ? `the repository is ${repo.enabled ? "read-only" : "disabled"}`
      : await ctx.git.at(directories(name)).activity() === null
      ? "the repository is not cloned"
      : refusalReason(place, input, { repo, branch, bases });
    if (why !== null) staying.push({ name, why });
    else if (repo !== undefined) going.push({ repo, branch, bases });
  }
  const found = await inPoolOf(
    ctx,
    "checking",
    going,
    async ({ repo, branch, bases }) => {
      const at = { repo, directory: directories(repo.name) };
      const terms = { repos: place.manifest.repos, state: place.state };
      const strayed = input.cleanup ? await refusedIfStrayed(ctx, at, terms) : null;
      return strayed ?? await cleanupFact(ctx, {
        directory: directories(repo.name),
        repo: repo.name,
        name: branch,
        until: integratedIn(comparisonsIn(place.state, repo.name)[branch]),
      }, {
        baseBranches: bases,
        input,
        active: place.state.active_ticket === input.ticket_id,
      });
    },
  );
  const others = found.flatMap((entry) => !isRefusal(entry) && isThere(entry) ? [entry.name] : []);
  const isMerged = others.length > 0 && others.length < found.length &&
    (await mergedAmong(ctx, place, ticket, others)).length > 0;
  const ask = wasAsked(ctx, input)
    ? ""
    : `ask the remotes, as the call itself does first: amof sync${input.scope ?? ""}\n`;
  const hasEnded = !Object.hasOwn(place.state.tickets, input.ticket_id);
  const fix = ask + unmergedFix(input, Object.keys(ticket.repos), { isMerged, hasEnded });
  const told = found.map((entry) =>
    isRefusal(entry) && (entry.fix === "" || entry.fix.endsWith("\n"))
      ? { ...entry, fix: entry.fix + fix }
      : entry
  );
  return { staying, facts: unlessRefused<CleanupFact>(`end ${input.ticket_id}`, told) };
}

/**
 * What helps where branches are not merged, what loses nothing first. `isMerged` says that others of the ticket
 * are, and `hasEnded` that it has ended already, and keeps them as it is. For a part of a ticket it names only
 * the repositories `names`.
 */
export function unmergedFix(
  { ticket_id: id, cleanup, scope, ...selection }: Pick<
    CleanupInput,
    "ticket_id" | "cleanup" | "scope" | "repos" | "tags" | "only"
  >,
  names: readonly string[],
  { isMerged, hasEnded = false }: { readonly isMerged: boolean; readonly hasEnded?: boolean },
): string {
  const flag = cleanup ? "--cleanup" : "--cleanup-local";
  const end = `amof ticket end ${id}${isSelecting(selection) ? ` --repo ${names.join(",")}` : ""}`;
  const safe = scope !== undefined
    ? `push and merge them: amof push${scope}`
    : isMerged
    ? `end only what is merged: ${end} ${flag} --only merged`
    : hasEnded
    ? "see what is left of it: amof ticket list --ended"
    : `keep the branches: ${end}`;
  return `${safe}\ngive the commits up, which asks for the name: the same command with --force`;
}

/**
 * "in main as one commit, 1234567", or without the commit, whether it was squashed or picked; null for work that is nowhere
 * else.
 */
export function integratedText(
  { kept_as, in_branch, as_commit, unmerged, stays_remote, renamed }:
    & Pick<CleanupFact, "kept_as" | "in_branch" | "as_commit" | "renamed">
    & Partial<Pick<CleanupFact, "unmerged" | "stays_remote">>,
): string | null {
  const into = in_branch ?? "";
  switch (kept_as) {
    case null:
      return unmerged === 0 ? "not merged, another branch has its commits" : null;
    case "merged":
      return `merged into ${into}`;
    case "here":
      return `on ${into} here, not at the remote`;
    case "pushed":
      return "pushed";
    case "absent":
      return renamed !== undefined
        ? `renamed to ${cleanLine(renamed, 60)}, which stays`
        : stays_remote === true
        ? "gone here before, its remote has it"
        : "gone before";
    case "squashed":
      return `in ${into} as one commit${as_commit === null ? "" : `, ${shortSha(as_commit)}`}`;
    case "rebased":
      return `in ${into} commit by commit`;
    case "content":
      return `all its changes are in ${into}`;
  }
}

/** What deleting branches comes to, for who agrees: "delete 2 branches here and 1 on its remote"; null for none. */
export function deletionText(facts: readonly CleanupFact[]): string | null {
  const here = facts.filter(({ local }) => local !== null).length;
  const there = facts.filter(({ remote }) => remote !== null).length;
  if (here + there === 0) return null;
  const remotes = there === 1 ? "on its remote" : "on their remotes";
  if (there === 0) return `delete ${count(here, "branch", "branches")} here`;
  if (here === 0) return `delete ${count(there, "branch", "branches")} ${remotes}`;
  return `delete ${count(here, "branch", "branches")} here and ${there} ${remotes}`;
}

/** Whether there is a branch to delete. */
export function isThere({ local, remote }: CleanupFact): boolean {
  return local !== null || remote !== null;
}

/** One line about a branch that goes. */
export function describeCleanup(fact: CleanupFact): string {
  const where = fact.local === null
    ? " on the remote"
    : fact.remote === null
    ? ""
    : " here and on the remote";
  const kept = integratedText(fact);
  return `Delete ${cleanLine(fact.branch, 60)} of ${fact.name}${where}${
    kept === null
      ? `, with ${count(fact.unmerged, "commit")} that ${
        fact.unmerged === 1 ? "is" : "are"
      } nowhere else`
      : `, ${kept}`
  }`;
}

/** Those lines; of many that are alike, and lose nothing, a person is told in one, unless they ask for `all`. */
export function foldedCleanup(
  going: readonly CleanupFact[],
  { all }: { readonly all?: boolean | undefined },
): readonly Part[] {
  return foldedRepos(going, describeCleanup, {
    all,
    brief: (fact) => describeCleanup({ ...fact, as_commit: null }),
    isPlain: (fact) => integratedText(fact) !== null,
  });
}

/** The steps that delete a branch, the remote's first. */
export function cleanupSteps(fact: CleanupFact, directory: string): JournalStep[] {
  const where = { repo: fact.name, directory, branch: fact.branch };
  return [
    ...(fact.remote === null ? [] : [deleteRemoteBranch.step({ ...where, commit: fact.remote })]),
    ...(fact.local === null ? [] : [deleteBranch.step({ ...where, commit: fact.local })]),
  ];
}

/** What undoing does not bring back of branches that go: those of remotes, by name; null for none. */
export function deletedThere(facts: readonly CleanupFact[]): string | null {
  const there = Map.groupBy(facts.filter(({ remote }) => remote !== null), ({ branch }) => branch);
  if (there.size === 0) return null;
  const told = [...there].map(([branch, of]) =>
    `${cleanLine(branch, 60)} on the remote${of.length === 1 ? "" : "s"} of ${
      few(of.map(({ name }) => name), 3)
    }`
  );
  return few(told, 3);
}
