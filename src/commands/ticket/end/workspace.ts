/**
 * What ending a ticket that has a workspace of its own would take away, and why it is refused (LEAVE-1).
 *
 * The workspace goes only when nothing is only there: as with `amof archive`, but for what has landed, its remotes are
 * asked before anything is deleted. Nothing is pushed.
 */

import { join } from "@std/path";
import { inPool } from "../../../base/async/pool.ts";
import { AmofError } from "../../../base/error.ts";
import type { CommandContext, ExecuteContext } from "../../../contract/mod.ts";
import { endedTickets, type TicketRecord } from "../../../workspace/tickets/mod.ts";
import { mirrorOf } from "../../../workspace/tickets/changing.ts";
import { type Stock } from "../../../workspace/removal/mod.ts";
import { ticketGoing } from "../going.ts";
import { refusalsOf } from "../../removal/remedies.ts";
import type { Verifiable } from "../../removal/leaving.ts";
import { environmentStands, type Loss, lossesOf } from "../../removal/losses.ts";
import { loadManifest, type Manifest } from "../../../workspace/manifest/mod.ts";
import { refuseAll, RepoCounter } from "../../../workspace/mod.ts";
import { isSelecting, select, type Selecting } from "../../selection/mod.ts";
import { type Cleanup, type CleanupFact, type CleanupInput, planCleanup } from "../cleanup.ts";
import {
  inspectClones,
  type Integrated,
  type Looked,
  NO_COMMITS,
  usableOf,
} from "./workspace_look.ts";
import { borrowing, fetchRepo, Transfers } from "../../../workspace/clones/changing.ts";
import { directoriesOf, findOwn, ownPlace, type OwnWorkspace, ticketPlace } from "../preflight.ts";

/** What is asked for. */
export interface EndInput extends CleanupInput, Selecting {
  readonly keep_workspace?: boolean;
  readonly discard_local?: boolean | undefined;
  /** Whether the work of the ticket has been brought elsewhere before its workspace goes: only other work counts. */
  readonly home?: boolean;
}

/** What a confirmation of the end is bound to. */
export interface WorkspaceEnd {
  readonly ticket_id: string;
  /** Relative to the control repository. */
  readonly workspace: string;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string | null;
    readonly commit: string | null;
    readonly role: "work" | "context" | null;
    /** Whether its remote has the branch of the ticket, as far as is known here, and goes on having it. */
    readonly stays_remote: boolean;
  }[];
  readonly landed: readonly Integrated[];
  readonly cleanup: readonly CleanupFact[];
  /** Repositories whose branch stays on the remote although it was asked for. */
  readonly staying: Cleanup["staying"];
  readonly losses: readonly Loss[];
  readonly digests: Readonly<Record<string, string>>;
  /** A digest of what lies among the clones. */
  readonly among: string;
  readonly ports: TicketRecord["env"];
  /** Whether an environment of the ticket stands, which stays as it is. */
  readonly environment: boolean;
  /** Whether its clones can be made again out of mirrors and what is kept of them. */
  readonly again: boolean;
}

/** What would be done, and what it was computed from. */
export interface WorkspaceEndPlan {
  readonly facts: WorkspaceEnd;
  readonly stock: Stock;
  readonly verify: readonly Verifiable[];
}

/** Kinds of losses that are told by looking closer than the stock does. */
const CLOSER: readonly Loss["kind"][] = ["commits", "tagged", "annotated", "refs"];

/** Kinds of losses that are none where the work of the ticket has been brought elsewhere. */
const CARRIED: readonly Loss["kind"][] = ["uncommitted", "stash"];

/** Whether a loss is none where the work of the ticket has been brought elsewhere: only what it works in was brought. */
export function isCarried(
  { kind, repo }: Pick<Loss, "kind" | "repo">,
  repos: Readonly<Record<string, { readonly role: "work" | "context" }>>,
): boolean {
  return CARRIED.includes(kind) && repos[repo]?.role === "work";
}

/** The workspace of a ticket relative to the control repository. */
function shownPlace(manifest: Manifest, id: string): string {
  return `${manifest.workspaceDir}@${id}`;
}

/** What the remote of each clone must have before it goes. */
function verifiable(
  own: OwnWorkspace,
  { stock, parts, refs }: Looked,
  cleanup: Cleanup,
): Verifiable[] {
  return usableOf(stock).map((repo): Verifiable => {
    const part = parts.get(repo.name) ?? NO_COMMITS;
    const given = refs.get(repo.name) ?? { commits: [], tags: [] };
    const record = own.record.repos[repo.name];
    // A branch that is deleted on the remote was compared with the base branch instead.
    const deleted = cleanup.facts.find(({ name }) => name === repo.name)?.branch;
    return {
      name: repo.name,
      directory: join(own.directory, repo.path),
      detached: repo.branch === null && !part.head ? repo.head : null,
      branches: [
        ...repo.branches.filter(({ name }) => !part.without.has(name) && name !== deleted),
        ...part.bases.map(({ name, commit }) => ({ name, commit, upstream: null })),
      ],
      refs: repo.refs,
      givenUp: {
        // A repository that is only read came from the remote, which may have dropped its branch since.
        commits: [...given.commits, ...(record?.role === "context" ? [record.start] : [])],
        tags: given.tags,
      },
    };
  });
}

/** The error of a ticket whose environment nobody could remove any more once its workspace is gone (SPIN-9). */
function environmentLeft(id: string, what: string, home: boolean): AmofError {
  const remove = `Remove it first: amof spin destroy --ticket ${id}`;
  return new AmofError("workspace_in_use", `Cannot ${what}: its environment still stands`, {
    hint: home ? remove : `${remove}\nLeave it as it is: the same command with --discard-local`,
    details: { ticket_id: id },
  });
}

/** Whether a clone can be made out of the mirror of its repository again: not of one that lacks old contents. */
function isMadeAgain(
  ctx: CommandContext,
  manifest: Manifest,
  { name, path }: { readonly name: string; readonly path: string },
): boolean {
  const repo = manifest.repos.find((entry) => entry.name === name);
  return repo !== undefined && repo.enabled && repo.path === path && repo.clone !== "blobless" &&
    mirrorOf(ctx, repo) !== null;
}

/** What would be lost with the workspace: what is in its clones, with commits told apart by where else they are. */
function lossesIn(
  { stock, parts, refs }: Looked,
  { record }: OwnWorkspace,
  { home, force, branches }: {
    readonly home: boolean;
    readonly force: boolean;
    /** The branches that are deleted, by repository. */
    readonly branches: ReadonlyMap<string, string>;
  },
): readonly Loss[] {
  const closer = [...parts.values()].flatMap((part) => part.losses).filter((loss) =>
    // With --force their commits are given up, and the deletion says how many.
    !(force && loss.items[0] === `on ${branches.get(loss.repo) ?? ""}`)
  );
  return [
    ...lossesOf(stock).filter((loss) =>
      (!CLOSER.includes(loss.kind) || !parts.has(loss.repo)) &&
      !(home && isCarried(loss, record.repos))
    ),
    ...closer,
    ...[...refs.values()].flatMap((part) => part.losses),
  ];
}

/** The repositories of the workspace, and whether their remotes go on having the ticket's branch. */
async function reposOf(
  ctx: CommandContext,
  { directory, record }: OwnWorkspace,
  stock: Stock,
  cleanup: Cleanup,
): Promise<WorkspaceEnd["repos"]> {
  const cleaned = new Map(cleanup.facts.map((fact) => [fact.name, fact]));
  return await inPool(ctx.jobs, Object.entries(record.repos), async ([name, repo]) => {
    const there = stock.repos.find((entry) => entry.name === name);
    const remote = `refs/remotes/origin/${repo.branch}`;
    const known = there === undefined || there.problem !== null
      ? new Map<string, string>()
      : await ctx.git.at(join(directory, repo.path), name).refs.list([remote]);
    return {
      name,
      branch: there?.branch ?? null,
      commit: there?.head ?? null,
      role: repo.role,
      stays_remote: known.has(remote) && (cleaned.get(name)?.stays_remote ?? true),
    };
  });
}

const FLAGS = ["cleanup", "cleanup_local", "discard_local", "force"] as const;

/** The flags of an end, for who has to go elsewhere first. */
export function flagsOf(input: EndInput): string {
  return FLAGS.filter((name) => input[name] === true)
    .map((name) => ` --${name.replaceAll("_", "-")}`).join("");
}

/** Looks at everything and decides; throws one error for all that would be lost. */
export async function planWorkspaceEnd(
  ctx: CommandContext,
  own: OwnWorkspace,
  input: EndInput,
): Promise<WorkspaceEndPlan> {
  const { ticket_id: id } = input;
  const { directory, record } = own;
  const home = input.home === true;
  const what = home ? `move ${id} into the base workspace` : `end ${id}`;
  const scope = ` --ticket ${id}`;
  const command = home ? `ticket move ${id} --in-place` : `ticket end ${id}${flagsOf(input)}`;
  const { stock, digests, among } = await ticketGoing(ctx, own, { command, what });
  const environment = await environmentStands({ ...ctx, ticket: id });
  if (environment && (home || input.discard_local !== true)) {
    throw environmentLeft(id, what, home);
  }
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const looked = await inspectClones(ctx, own, { stock, home });
  const { parts } = looked;
  const { place, ticket } = await ownPlace(ctx, manifest, own);
  const cleanup = await planCleanup(ctx, place, ticket, { ...input, scope });
  const branches = new Map(cleanup.facts.map(({ name, branch }) => [name, branch]));
  const losses = lossesIn(looked, own, { home, force: input.force === true, branches });
  const entries = Object.entries(record.repos);
  if (input.discard_local !== true) {
    const refusals = await refusalsOf(ctx, losses, {
      ...{ workspace: directory, repos: stock.repos, ticket: id },
      bases: new Map(entries.map(([name, { base }]) => [name, base])),
    });
    refuseAll(what, refusals);
  }
  return {
    stock,
    verify: verifiable(own, looked, cleanup),
    facts: {
      ticket_id: id,
      workspace: shownPlace(manifest, id),
      repos: await reposOf(ctx, own, stock, cleanup),
      landed: [...parts.values()].flatMap((part) => part.landed),
      cleanup: cleanup.facts,
      staying: cleanup.staying,
      losses,
      digests,
      among,
      ports: record.env,
      environment,
      again: entries.every(([name, { path }]) =>
        isMadeAgain(ctx, manifest, { name, path }) &&
        stock.repos.some((repo) =>
          repo.name === name && repo.problem === null && repo.head !== null
        )
      ),
    },
  };
}

// Asks the remotes before a ticket ends, so that what was merged a moment ago counts (TICKET-6).

/**
 * Fetches the repositories of a ticket whose branches or workspace are to go, of those that were named where some were.
 * Answers those whose remote did not answer.
 */
export async function fetchBeforeEnd(ctx: ExecuteContext, input: EndInput): Promise<string[]> {
  const { ticket_id: id, cleanup, cleanup_local, offline, keep_workspace, repos: named, tags } =
    input;
  const own = await findOwn(ctx, id);
  const goes = own === null ? cleanup || cleanup_local : keep_workspace !== true;
  if (offline === true || !goes) return [];
  const scope = own === null ? ctx : { ...ctx, ticket: id };
  const place = own === null
    ? await ticketPlace(ctx)
    : (await ownPlace(ctx, await loadManifest(ctx.system, ctx.root, ctx.ecosystem), own)).place;
  const { tickets } = place.state;
  const ticket = Object.hasOwn(tickets, id) ? tickets[id] : endedTickets(place.state).get(id);
  const directories = await directoriesOf(ctx, place);
  const { manifest, workspace: { directory: workspace }, state } = place;
  // Which of them are merged, only the remotes tell.
  const among = { repos: named, tags };
  const selected = own === null && isSelecting(among)
    ? await select(ctx, { manifest, workspace, state }, among)
    : manifest.repos.filter(({ enabled }) => enabled);
  const repos = selected.filter(({ name }) => Object.hasOwn(ticket?.repos ?? {}, name));
  const tally = new RepoCounter(ctx.report, "asking", repos.length);
  const sources = {
    transfers: new Transfers(ctx.transfers),
    tally,
    fresh: 0,
    unnoted: true,
    bases: await borrowing(scope),
  };
  const unasked = await inPool(64, repos, async (repo) => {
    try {
      const directory = directories(repo.name);
      if (await ctx.git.at(directory).activity() === null) return [];
      await fetchRepo(scope, sources, repo, directory);
      return [];
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
      ctx.report.log("warn", `${repo.name}: ${error.message}`);
      return [repo.name];
    } finally {
      tally.end(repo.name);
    }
  });
  return unasked.flat();
}

/** What is said of remotes that did not answer. */
export function unaskedLines({ unasked = [] }: Pick<CommandContext, "unasked">): string[] {
  return unasked.map((name) =>
    `The remote of ${name} did not answer: this goes by what was fetched before`
  );
}
