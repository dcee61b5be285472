/**
 * What moving a ticket out of the base workspace would do, and why it is refused (MOVE-1, MOVE-2).
 *
 * Costs four git processes for each of its repositories, and what leaving the ticket costs where it is active.
 */

import type { CommandContext } from "../../../contract/mod.ts";
import { branchAgain, stashName } from "../../../workspace/tickets/mod.ts";
import {
  inPoolOf,
  type Refusal,
  refusalReason,
  repoDirectory,
  type TicketState,
  unlessRefused,
} from "../../../workspace/mod.ts";
import { mirrorKind } from "../../../workspace/mirrors/mod.ts";
import { fieldsOf } from "../../../base/object.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { branchInUse } from "../cleanup.ts";
import { type MoveFact, planMoves } from "../switching.ts";
import { type TicketPlace, ticketPlace } from "../preflight.ts";
import { requireTicket, SEE_TICKETS } from "../id.ts";
import { type CarriedFact, findCarried, refuseLarge } from "../steps/carried.ts";
import { carryPlaces, refuseTaken, type TicketRepoFact } from "../workspace/plan.ts";
import { few } from "../../../base/text/words.ts";

/** What is asked for. */
export interface MoveInput {
  readonly ticket_id: string;
  readonly carry: boolean;
}

interface Moving extends TicketRepoFact {
  /** The commit of its branch. */
  readonly commit: string;
  /** The commit of what is kept for the ticket already, or null. */
  readonly kept: string | null;
  /** What people have stashed in the clone themselves, newest first: it stays there. */
  readonly stashes: readonly { readonly commit: string; readonly name: string }[];
}

/** What a move out of the base workspace is bound to. */
export interface MoveOut {
  readonly to: "workspace";
  readonly ticket_id: string;
  /** Relative to the control repository, with `/`. */
  readonly workspace: string;
  readonly active: boolean;
  readonly repos: readonly Moving[];
  readonly context: readonly TicketRepoFact[];
  /** How the clones of the base workspace go back to their base branches. */
  readonly moves: readonly MoveFact[];
  readonly carried: readonly CarriedFact[];
}

/** The ticket that moves, and one of its repositories. */
interface Asked {
  readonly id: string;
  readonly active: boolean;
  readonly name: string;
  readonly branch: string;
  /** The branch it begins at, where the ticket remembers it. */
  readonly source: string | null;
}

/** Why the work of a repository cannot move, or what moves. At most four git processes. */
async function movingOf(
  ctx: CommandContext,
  { manifest, workspace }: TicketPlace,
  { id, active, name, branch, source }: Asked,
): Promise<Moving | Refusal> {
  const refuse = refusalReason(name);
  const repo = manifest.repos.find((entry) => entry.name === name);
  if (repo === undefined || !repo.enabled || repo.readonly) {
    const why = repo === undefined
      ? "is not in the manifest"
      : repo.enabled
      ? "is read-only"
      : "is disabled";
    return refuse(why, "correct the manifest: amof manifest validate");
  }
  if (mirrorKind(repo) === null) {
    return refuse(
      "has only the last commits of its history",
      `push the work and end the ticket here: amof ticket end ${id}\nthen: amof ticket start ${id} --workspace`,
    );
  }
  const directory = await repoDirectory(ctx.system, workspace.directory, repo);
  const there = ctx.git.at(directory, name);
  if (await there.activity() === null) return refuse("is not cloned", "clone it: amof sync");
  const commit = await there.refs.resolve(`refs/heads/${branch}`);
  if (commit === null) {
    const again = await branchAgain(there, { directory, branch, base: repo.branch });
    return refuse(
      `has no branch ${cleanLine(branch, 60)} any more`,
      `${again}\nend the ticket: amof ticket end ${id}`,
    );
  }
  const used = await branchInUse(ctx, { directory, repo: name, name: branch }, active);
  if (used !== null) return used;
  const stashes = await there.stashes.list();
  return {
    name,
    path: repo.path,
    role: "work",
    branch,
    base: source ?? repo.branch,
    mode: "ticket_local",
    commit,
    kept: stashes.find((one) => one.title === stashName(id) && one.branch === branch)?.commit ??
      null,
    stashes: stashes.filter(({ title }) => !title.startsWith(stashName("")))
      .map(({ commit, subject }) => ({ commit, name: subject })),
  };
}

/** The branches that a ticket began at, by repository. */
function sourcesOf(ticket: TicketState): ReadonlyMap<string, string> {
  const selections = Array.isArray(ticket["repo_selections"]) ? ticket["repo_selections"] : [];
  return new Map(selections.flatMap((entry: unknown) => {
    const { repo, source_branch: source } = fieldsOf(entry);
    return typeof repo === "string" && typeof source === "string" ? [[repo, source] as const] : [];
  }));
}

/** The repositories that the ticket gets to read. */
function contextOf({ manifest }: TicketPlace, work: readonly Moving[]): TicketRepoFact[] {
  return manifest.repos.filter((repo) =>
    repo.enabled && repo.readonly && !work.some(({ name }) => name === repo.name)
  ).map(({ name, path, branch }) => ({
    name,
    path,
    role: "context",
    branch,
    base: branch,
    mode: "ticket_local",
  }));
}

/** Looks at everything and decides; throws one error for all that stands in the way. */
export async function planMoveOut(
  ctx: CommandContext,
  { ticket_id: id, carry }: MoveInput,
): Promise<{ readonly facts: MoveOut; readonly place: TicketPlace }> {
  const place = await ticketPlace(ctx);
  requireTicket(place.state, id, [], SEE_TICKETS);
  await refuseTaken(ctx, { manifest: place.manifest, state: null }, id);
  const ticket = place.state.tickets[id];
  const active = place.state.active_ticket === id;
  const what = `move ${id} into a workspace of its own`;
  const sources = ticket === undefined ? new Map<string, string>() : sourcesOf(ticket);
  const entries = Object.entries(ticket?.repos ?? {}).map(([name, branch]) => ({ name, branch }));
  const found = await inPoolOf(
    ctx,
    "checking",
    entries,
    ({ name, branch }) =>
      movingOf(ctx, place, { id, active, name, branch, source: sources.get(name) ?? null }),
  );
  const repos = unlessRefused<Moving>(what, found);
  const moves = active ? await planMoves(ctx, place, { ticket: null, stash: true, what }) : [];
  const context = contextOf(place, repos);
  const base = { manifest: place.manifest, directory: place.workspace.directory, state: null };
  const carried = carry ? await findCarried(ctx, carryPlaces(base, [...repos, ...context])) : [];
  refuseLarge(carried, id);
  return {
    place,
    facts: {
      to: "workspace",
      ticket_id: id,
      workspace: `${place.manifest.workspaceDir}@${id}`,
      active,
      repos,
      context,
      moves,
      carried,
    },
  };
}

// What `amof ticket move` answers, either way (MOVE-1).

/** A stash of a person: it goes along where the clone goes, and stays where the clone does. */
interface MovedStash {
  /** As git lists it, such as `On feature/T-1: half done`. */
  readonly name: string;
  /** `moved` into the base workspace, or `stays` there. */
  readonly now: "moved" | "stays";
}

/** The names of stashes in a sentence, each as git lists it. */
export function stashNames(names: readonly string[]): string {
  return few(names.map((name) => `"${cleanLine(name, 80)}"`), 5);
}

/** What became of a ticket that was moved, either way. */
export interface MoveData {
  readonly ticket_id: string;
  /** `workspace` where it has one of its own now, `in_place` where it is worked on in the base workspace. */
  readonly to: "workspace" | "in_place";
  /** Its own workspace, there now or before, relative to the control repository. */
  readonly workspace: string;
  /** Of the base workspace. */
  readonly active_ticket: string | null;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    readonly commit: string;
    /** Uncommitted work: `moved` along, `kept` as a stash, or `none`. */
    readonly changes: "moved" | "kept" | "none";
    /** What people have stashed there themselves, newest first, as git lists it. */
    readonly stashes: readonly MovedStash[];
  }[];
  readonly notes: readonly string[];
  /** What could not be deleted, or null. */
  readonly left: string | null;
}
