/**
 * Moving repositories from one ticket to another, or to their base branches: what `switch` and `end` share.
 *
 * Costs two git processes per repository that is looked at, one for each that moves, and one to
 * six where work comes back.
 */

import { NO_TICKET } from "../../base/ids.ts";
import { branchAgain, stashFor, stashName } from "../../workspace/tickets/mod.ts";
import { inPoolOf, type Refusal, unlessRefused } from "../../workspace/mod.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import type { RepoSnapshot } from "../../workspace/clones/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { Repository } from "../../git/mod.ts";
import { foldedRepos, type Folding, type Part } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { few } from "../../base/text/words.ts";
import { defined } from "../../base/object.ts";
import { Snapshots } from "../../git/snapshot/mod.ts";
import { createBranch, switchBranch } from "./steps/branch.ts";
import type { BranchMove } from "./branch_move.ts";
import {
  alreadyKept,
  cannotEnter,
  cannotLeave,
  inspectTicketRepos,
  type TicketPlace,
} from "./preflight.ts";
import { cannotCarry } from "./carry.ts";

/** How one repository moves. */
export interface MoveFact {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** The stash its changes are put into, or null. */
  readonly save: string | null;
  /** Whether that waits for the branch alone, which is of no ticket. */
  readonly astray: boolean;
  /** The stash that is brought back, or null. */
  readonly restore: string | null;
  /** The commit of that stash, or null. */
  readonly stash: string | null;
  /** What of it the branch it goes to has otherwise by now: whether it fits there, only trying tells. */
  readonly contested: readonly string[];
  /** The commit it stands on. */
  readonly head: string;
  /** The commit of the branch it goes to. */
  readonly target: string;
  /** Whether that is a base branch which is only at the remote so far: it is made, and follows that one. */
  readonly made: boolean;
}

/** The stashes that a move makes or brings back; null where it does not. */
export function stashesOf({ save, restore }: MoveFact): readonly (string | null)[] {
  return [save, restore];
}

/** The branch each repository goes to for a ticket; its base branch where the ticket does not track it. */
function targetOf(place: TicketPlace, repo: Repo, ticket: string | null): string {
  return (ticket === null ? undefined : place.state.tickets[ticket]?.repos[repo.name]) ??
    repo.branch;
}

async function factFor(
  ctx: CommandContext,
  place: TicketPlace,
  snapshot: RepoSnapshot,
  { ticket, stash, isMerged }: Pick<Moving, "ticket" | "stash" | "isMerged">,
): Promise<MoveFact | Refusal | null> {
  const { repo, git, directory } = snapshot;
  const to = targetOf(place, repo, ticket);
  const name = stashName(ticket ?? NO_TICKET);
  const from = git?.branch ?? "";
  const { name: here, isAstray } = stashFor(place.state, repo, from);
  const repository = ctx.git.at(directory, repo.name);
  const find = (wanted: string, branch: string) =>
    (git?.stashes ?? 0) === 0 ? null : repository.stashes.find(wanted, branch);
  const stored = await find(name, to);
  if (git?.branch === to && stored === null) return null;
  // Changes on another branch than that of the active ticket are the ticket's: they go along to it.
  const along = ticket === place.state.active_ticket;
  const refusal = cannotLeave(snapshot, stash, along || null);
  if (refusal !== null) {
    // What a fetch has just shown to be merged is known as such only by a closer look.
    // A branch that was never at the remote has only not begun.
    const isNews = refusal.code === "repo_dirty" && snapshot.merged === null &&
      git?.upstream === `origin/${from}` && await isMerged?.(repo.name) === true;
    return isNews ? cannotLeave({ ...snapshot, merged: "commits" }, stash, along || null) : refusal;
  }
  const dirty = (git?.changes.length ?? 0) > 0;
  const head = git?.head ?? "";
  const local = from === to ? head : await repository.refs.resolve(`refs/heads/${to}`);
  const target = local ?? await newBase(repository, repo, to);
  if (target === null) {
    const again = await branchAgain(repository, {
      directory,
      branch: to,
      base: repo.branch,
    });
    return {
      repo: repo.name,
      code: "repo_diverged",
      problem: `has no branch ${to} any more`,
      fix: again,
    };
  }
  const taken = from === to ? null : await cannotEnter(ctx, snapshot, to);
  if (taken !== null) return taken;
  if (dirty && await find(here, from) !== null) return alreadyKept(repo, here);
  const misfit = dirty && along
    ? await cannotCarry(ctx, snapshot, { branch: to, start: target })
    : null;
  if (misfit !== null) return misfit;
  return {
    name: repo.name,
    from,
    to,
    save: dirty && !along ? here : null,
    astray: dirty && !along && isAstray,
    restore: stored === null ? null : name,
    stash: stored?.commit ?? null,
    contested: stored === null
      ? []
      : await repository.part(Snapshots).contested(stored.commit, target),
    head,
    target,
    made: local === null,
  };
}

/** The commit that `origin` has of a base branch that is to be made here; null where another branch is meant, or it has none. */
async function newBase(
  { refs }: Repository,
  { branch }: Repo,
  to: string,
): Promise<string | null> {
  const { ref, name } = await refs.base(branch);
  return to === branch && name === `origin/${branch}` ? await refs.resolve(ref) : null;
}

/** What is to be checked out, and how. */
interface Moving {
  /** Null for none. */
  readonly ticket: string | null;
  /** Null for a command that cannot put changes away. */
  readonly stash: boolean | null;
  readonly except?: readonly string[] | undefined;
  /** Whether the work of the ticket in a repository is merged, where the command looks for that; absent where not. */
  readonly isMerged?: (repo: string) => Promise<boolean>;
}

/**
 * What has to move so that a ticket is checked out, or why it cannot. It is about the repositories of the
 * ticket that is left and of the one that is entered, without those of `except`.
 */
export async function triedMoves(
  ctx: CommandContext,
  place: TicketPlace,
  { ticket, stash, except = [], isMerged }: Moving,
): Promise<(MoveFact | Refusal)[]> {
  const { state, manifest } = place;
  const concerned = new Set(
    [state.active_ticket, ticket].flatMap((id) =>
      id === null ? [] : Object.keys(state.tickets[id]?.repos ?? {})
    ),
  );
  const repos = manifest.repos.filter((repo) =>
    repo.enabled && !repo.readonly && concerned.has(repo.name) && !except.includes(repo.name)
  );
  const snapshots = await inspectTicketRepos(ctx, place, repos);
  const facts = await inPoolOf(
    ctx,
    "checking",
    snapshots,
    (snapshot) => factFor(ctx, place, snapshot, { ticket, stash, ...defined({ isMerged }) }),
  );
  return facts.filter((fact) => fact !== null);
}

/** The same where all of them have to: throws one error for all that cannot move. */
export async function planMoves(
  ctx: CommandContext,
  place: TicketPlace,
  { what, ...moving }: Moving & { readonly what: string },
): Promise<MoveFact[]> {
  return unlessRefused<MoveFact>(what, await triedMoves(ctx, place, moving));
}

/** The way a repository moves. */
export function branchMoveOf(fact: MoveFact, directory: string): BranchMove {
  const where = { repo: fact.name, directory };
  const { from, to, head, target } = fact;
  return {
    ...where,
    from,
    first: [],
    keep: fact.save,
    change: from === to
      ? null
      : fact.made
      ? createBranch.step({ ...where, from, head, branch: to, start: target, track: true })
      : switchBranch.step({ ...where, from, to, head, target }),
    to,
    target,
    back: fact.restore === null || fact.stash === null
      ? null
      : { name: fact.restore, stash: fact.stash },
  };
}

/** What is said of changes that are put away, of a branch of no ticket where one is named. */
export function savingText(stash: string, astray: string | null): string {
  return astray === null
    ? `stashing its changes as ${stash}`
    : `stashing its changes as ${stash}, which wait for ${cleanLine(astray, 60)}`;
}

/** One line about a move. */
export function describeMove(fact: MoveFact): string {
  return [
    `Switch ${fact.name} from ${fact.from} to ${fact.to}`,
    ...(fact.made ? [`making it out of origin/${fact.to}`] : []),
    ...(fact.save === null ? [] : [savingText(fact.save, fact.astray ? fact.from : null)]),
    ...(fact.restore === null
      ? []
      : [`restoring ${fact.restore}${
        fact.contested.length === 0
          ? ""
          : ` if it fits ${
            few(fact.contested.map((path) => cleanLine(path, 60)), 3)
          }, changed there since; else nothing is done`
      }`]),
  ].join(", ");
}

/** Those lines; of many moves that are alike, and touch no changes, a person is told in one, unless they ask for `all`. */
export function foldedMoves(
  moves: readonly MoveFact[],
  { all, onlyAsked }: Folding,
): readonly Part[] {
  return foldedRepos(moves, describeMove, {
    all,
    onlyAsked,
    isPlain: ({ save, restore, made }) => save === null && restore === null && !made,
  });
}
