/**
 * Moving a ticket out of the base workspace into one of its own: what it would do, and the deed (MOVE-1, MOVE-2).
 *
 * Costs what starting it there would, and six git processes for each of its repositories, a dozen more where work is
 * uncommitted.
 *
 * @module
 */

import { basename, dirname, join } from "@std/path";
import type { CommandContext, ExecuteContext, Preview } from "../contract/mod.ts";
import {
  type ClonePlan,
  hideTickets,
  inPoolOf,
  makeDirectories,
  missingAbove,
  type Refusal,
  refuseAll,
  repoDirectory,
  ticketDirectory,
  type TicketState,
} from "../workspace/mod.ts";
import { useFix, useText } from "../git/mod.ts";
import { fieldsOf } from "../object.ts";
import { timestamp } from "../system/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count } from "../text/words.ts";
import { bringWork, leaveWork } from "./move_operations.ts";
import { describeMove, type MoveFact, passageOf, planMoves } from "./moves.ts";
import { performPassages } from "./passage.ts";
import { directoriesOf, stateStep, type TicketPlace, ticketPlace } from "./preflight.ts";
import { requireTicket, stashName } from "./ticket.ts";
import { type CarriedFact, carriedLines, findCarried, refuseLarge } from "./workspace/carry.ts";
import {
  buildTicket,
  carryFiles,
  placeTicket,
  reserveTicket,
  sealTicket,
  writeRecord,
} from "./workspace/operations.ts";
import { basePlace, carryPlaces, refuseTaken, type TicketRepoFact } from "./workspace/plan.ts";
import { bringMirrors, planClone } from "./workspace/start.ts";

/** What is asked for. */
export interface MoveInput {
  readonly ticket_id: string;
  readonly carry: boolean;
}

/** A repository whose work moves. */
interface Moving extends TicketRepoFact {
  /** The commit of its branch. */
  readonly commit: string;
  /** The commit of what is kept for the ticket already, or null. */
  readonly kept: string | null;
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
  }[];
  readonly notes: readonly string[];
  /** What could not be deleted, or null. */
  readonly left: string | null;
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
  const refuse = (problem: string, fix: string): Refusal => ({
    repo: name,
    code: "would_lose_work",
    problem,
    fix,
  });
  const repo = manifest.repos.find((entry) => entry.name === name);
  if (repo === undefined || !repo.enabled || repo.readonly) {
    const why = repo === undefined
      ? "is not in the manifest"
      : repo.enabled
      ? "is read-only"
      : "is disabled";
    return refuse(why, "correct the manifest: amof manifest validate");
  }
  if (repo.clone !== "full") {
    return refuse(
      "has less than the whole history",
      `push the work and end the ticket here: amof ticket end ${id}; then: amof ticket start ${id} --workspace`,
    );
  }
  const directory = await repoDirectory(ctx.system, workspace.directory, repo);
  const there = ctx.git.at(directory, name);
  if (await there.activity() === null) return refuse("is not cloned", "clone it: amof sync");
  const commit = await there.refs.resolve(`refs/heads/${branch}`);
  if (commit === null) {
    return refuse(
      `has no branch ${cleanLine(branch, 60)}`,
      `make it by hand, or end the ticket: amof ticket end ${id}`,
    );
  }
  const use = (await there.worktrees.uses()).find((entry) =>
    entry.branch === branch && !(entry.own && entry.doing === "checkout" && active)
  );
  if (use !== undefined) {
    return refuse(
      `cannot lose its branch: ${cleanLine(useText(use), 200)}`,
      useFix(use, directory),
    );
  }
  return {
    name,
    path: repo.path,
    role: "work",
    branch,
    base: source ?? repo.branch,
    mode: "ticket_local",
    commit,
    kept: (await there.stashes.find(stashName(id)))?.commit ?? null,
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

function isRefusal(entry: object): entry is Refusal {
  return "problem" in entry;
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
async function planMoveOut(
  ctx: CommandContext,
  { ticket_id: id, carry }: MoveInput,
): Promise<{ readonly facts: MoveOut; readonly place: TicketPlace }> {
  const place = await ticketPlace(ctx);
  requireTicket(place.state, id);
  await refuseTaken(ctx, { manifest: place.manifest, state: null }, id);
  const ticket = place.state.tickets[id];
  const active = place.state.active_ticket === id;
  const what = `move ${id} into a workspace of its own`;
  const sources = ticket === undefined ? new Map<string, string>() : sourcesOf(ticket);
  const entries = Object.entries(ticket?.repos ?? {}).map(([name, branch]) => ({ name, branch }));
  const found: (Moving | Refusal)[] = await inPoolOf(
    ctx,
    "checking",
    entries,
    ({ name, branch }) =>
      movingOf(ctx, place, { id, active, name, branch, source: sources.get(name) ?? null }),
  );
  refuseAll(what, found.filter(isRefusal));
  const repos = found.filter((entry): entry is Moving => !isRefusal(entry));
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

/** What is said before a ticket moves out of the base workspace. */
export async function previewMoveOut(
  ctx: CommandContext,
  input: MoveInput,
): Promise<Preview<MoveOut, MoveData>> {
  const { facts } = await planMoveOut(ctx, input);
  const { ticket_id: id, workspace, repos, context, moves, carried } = facts;
  const kept = new Set([
    ...moves.filter(({ save }) => save !== null).map(({ name }) => name),
    ...repos.filter((repo) => repo.kept !== null).map(({ name }) => name),
  ]);
  return {
    facts,
    summary: `Would move ${id} into a workspace of its own, with ${count(repos.length, "repo")}.`,
    effects: [
      `Make ${workspace}, beside the base workspace`,
      ...repos.map(({ name, branch }) =>
        `Move ${cleanLine(branch, 60)} of ${name} there${
          kept.has(name) ? ", with its uncommitted changes" : ""
        }`
      ),
      ...context.map(({ name, branch }) => `Clone ${name} to be read, on ${branch}`),
      ...carried.flatMap(carriedLines),
      ...moves.map(describeMove),
      ...repos.map(({ name, branch }) =>
        `Delete ${
          cleanLine(branch, 60)
        } in ${name} of the base workspace, once the new clone has it`
      ),
    ],
    current: facts.active
      ? `Ticket ${id} is active in the base workspace`
      : `Ticket ${id} is worked on in the base workspace, and not active`,
    alternatives: ["Leave it where it is, and start others with workspaces of their own"],
  };
}

/** Moves a ticket out of the base workspace. */
export async function executeMoveOut(
  ctx: ExecuteContext,
  input: MoveInput,
  facts: MoveOut,
): Promise<{ data: MoveData }> {
  const { place } = await planMoveOut(ctx, input);
  const { ticket_id: id, repos } = facts;
  const base = await basePlace(ctx);
  const notes: string[] = [];
  const all = [...repos, ...facts.context];
  const names = new Set(all.map(({ name }) => name));
  const wanted = base.manifest.repos.filter(({ name }) => names.has(name));
  const mirrors = await bringMirrors(ctx, base, wanted, { offline: false, notes });
  const planned = await inPoolOf(
    ctx,
    "checking",
    all,
    (fact) => planClone(ctx, fact, mirrors.get(fact.name) ?? null),
  );
  const plans = planned.filter((plan) => plan !== null);
  refuseAll(`move ${id}`, plans.filter(isRefusal));
  const clones = plans.filter((plan): plan is ClonePlan => !isRefusal(plan));
  const directory = ticketDirectory(ctx.root, base.manifest, id);
  const building = join(
    dirname(directory),
    `.${basename(directory)}.amof-new-${ctx.system.ids.hex(8)}`,
  );
  const missing = await missingAbove(ctx, directory);
  const sources = new Map(
    carryPlaces(base, facts.carried.map(({ repo }) => ({ name: repo }))).map((from) =>
      [from.name, from] as const
    ),
  );
  const places = facts.carried.flatMap(({ repo }) => {
    const [from, clone] = [sources.get(repo), clones.find(({ name }) => name === repo)];
    return from === undefined || clone === undefined ? [] : [{ ...from, path: clone.path }];
  });
  const record = {
    ticket_id: id,
    ecosystem: ctx.ecosystem,
    created_at: place.state.tickets[id]?.created_at ?? timestamp(ctx.system.clock.now()),
    phase: "started" as const,
    clones,
  };
  const from = await directoriesOf(ctx, place);
  const name = stashName(id);
  const work = repos.map((repo) => ({
    repo: repo.name,
    branch: repo.branch,
    commit: repo.commit,
    name,
    path: repo.path,
  }));
  const { [id]: _, ...tickets } = place.state.tickets;
  await performPassages(ctx, facts.moves.map((move) => passageOf(move, from(move.name))), [
    ...work.map(({ path, ...each }) =>
      bringWork.step({ ...each, directory: join(building, path), from: from(each.repo) })
    ),
    writeRecord.step({ directory, building, record }),
    await stateStep(ctx, place, {
      ...place.state,
      tickets,
      active_ticket: facts.active ? null : place.state.active_ticket,
    }),
  ], {
    first: [
      ...await hideTickets(ctx, base.manifest),
      ...(missing.length === 0 ? [] : [makeDirectories.step({ paths: missing })]),
      reserveTicket.step({
        directory,
        ticket: id,
        borrows: clones.flatMap(({ path, mirror }) => mirror === null ? [] : [{ path, mirror }]),
      }),
      buildTicket.step({ building, clones, standalone: false }),
      ...(places.length === 0 ? [] : [carryFiles.step({ building, places })]),
    ],
    last: [
      placeTicket.step({ directory, building }),
      sealTicket.step({ directory, clones: clones.map(({ path }) => path) }),
      ...work.map(({ path, ...each }) =>
        leaveWork.step({ ...each, directory: from(each.repo), now: join(directory, path) })
      ),
    ],
  });
  return {
    data: await answerOf(ctx, facts, { directory, notes, active: place.state.active_ticket }),
  };
}

/** What has become of the ticket. One git process per repository. */
async function answerOf(
  ctx: ExecuteContext,
  { ticket_id: id, workspace, repos, moves, active: left }: MoveOut,
  { directory, notes, active }: {
    readonly directory: string;
    readonly notes: readonly string[];
    readonly active: string | null;
  },
): Promise<MoveData> {
  return {
    ticket_id: id,
    to: "workspace",
    workspace,
    active_ticket: left ? null : active,
    repos: await Promise.all(repos.map(async ({ name, path, branch, commit, kept }) => {
      const had = kept !== null || moves.some((move) => move.name === name && move.save !== null);
      const stays = had &&
        await ctx.git.at(join(directory, path), name).stashes.find(stashName(id)) !== null;
      const changes = stays ? "kept" as const : had ? "moved" as const : "none" as const;
      return { name, branch, commit, changes };
    })),
    notes,
    left: null,
  };
}
