/** `amof ticket list`: the tickets of a workspace with their branches. */

import { join } from "@std/path";
import { toAmofError } from "../../../base/error.ts";
import {
  baseOf,
  type EndedTicket,
  endedTickets,
  goneTicketsIfKnown,
  type ListedTicketWorkspace,
  remainsText,
  ticketWorkspaces,
} from "../../../workspace/tickets/mod.ts";
import { runAtWork } from "../at_work.ts";
import { loadManifest, type Manifest } from "../../../workspace/manifest/mod.ts";
import {
  freshState,
  loadState,
  type TicketState,
  type WorkspaceState,
} from "../../../workspace/mod.ts";
import { defined } from "../../../base/object.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { inPool } from "../../../base/async/pool.ts";
import { foldingInput } from "../../../contract/input.ts";
import { type CommandContext, query, unlisted } from "../../../contract/mod.ts";
import { type ListData, type ListedTicket, renderTickets } from "./view.ts";
import { untakenIn, unusable } from "./unlisted.ts";
import { directoriesOf, inspectTicketRepos, placeToRead, type TicketPlace } from "../preflight.ts";
import { type BranchState, mergedInFiles } from "../../../workspace/clones/mod.ts";

// Which tickets are merged, and which have commits that no remote has. Refs and what earlier looks found answer
// that, so most tickets need no git process (WORKSPACE-30).

/** A branch of a ticket, where its clone is. */
interface TicketBranch {
  /** The clone, absolute. */
  readonly directory: string;
  readonly repo: { readonly name: string; readonly branch: string };
  readonly branch: string;
}

/** What is known of the work of a ticket. */
type Judged = Pick<ListedTicket, "merged" | "partly_merged" | "unpushed" | "unread" | "states">;

const OPEN: BranchState = { how: "open", unpushed: 0 };

/**
 * Whether a ticket has work, and all of it is merged; what is only here; and the state of its repositories. Of
 * a branch that is not checked out, that state also says whether it is here at all.
 */
async function judged(
  ctx: CommandContext,
  branches: readonly TicketBranch[],
  { state, states }: { readonly state: WorkspaceState; readonly states: ListedTicket["states"] },
): Promise<Judged> {
  const unread: string[] = [];
  const found = await inPool(ctx.jobs, branches, async ({ directory, repo, branch }) => {
    const clone = ctx.git.at(directory, repo.name);
    if (await clone.activity() === null) return OPEN;
    try {
      return await mergedInFiles(clone, repo, branch, state);
    } catch (error) {
      // One clone that cannot be read keeps nobody from seeing the tickets.
      const { code } = toAmofError(error, () => ctx.system.ids.hex(8));
      if (ctx.signal.aborted || code === "internal_error") throw error;
      unread.push(repo.name);
      return OPEN;
    }
  });
  const merged = found.filter(({ how }) => how === "merged").length;
  const open = found.filter(({ how }) => how === "open").length;
  const away = branches.flatMap(({ repo }, at) => {
    const where = (states?.[repo.name] ?? "elsewhere") === "elsewhere"
      ? found[at]?.away
      : undefined;
    return where === undefined ? [] : [[repo.name, where] as const];
  });
  const unpushed = found.reduce((sum, { unpushed }) => sum + unpushed, 0);
  return {
    states: away.length === 0 ? states : { ...states, ...Object.fromEntries(away) },
    ...merged === 0
      ? {}
      : open === 0
      ? { merged: true }
      : { partly_merged: { merged, of: merged + open } },
    ...unpushed === 0 ? {} : { unpushed },
    ...unread.length === 0 ? {} : { unread: unread.toSorted() },
  };
}

/** Whether a ticket that is worked on in the base workspace is merged. */
async function mergedInBase(
  ctx: CommandContext,
  { manifest, state }: TicketPlace,
  { ticket, states }: { readonly ticket: TicketState; readonly states: ListedTicket["states"] },
  directories: (repo: string) => string,
): Promise<Judged> {
  const branches = manifest.repos.flatMap((repo): TicketBranch[] => {
    const { name } = repo;
    const branch = repo.enabled && Object.hasOwn(ticket.repos, name)
      ? ticket.repos[name]
      : undefined;
    return branch === undefined ? [] : [{
      directory: directories(name),
      repo: { name, branch: baseOf(ticket, repo) },
      branch,
    }];
  });
  return await judged(ctx, branches, { state, states });
}

/** Whether a ticket with a workspace of its own is merged. */
async function mergedApart(
  ctx: CommandContext,
  { directory, record }: ListedTicketWorkspace,
  states: Readonly<Record<string, string>>,
): Promise<Judged> {
  if (record === null) return { states };
  const state = await loadState(ctx.system, directory).catch(() => null) ??
    freshState(ctx.system, record.ecosystem, "");
  const branches = Object.entries(record.repos).filter(([, { role }]) => role === "work")
    .map(([name, { path, branch, base }]): TicketBranch => ({
      directory: join(directory, path),
      repo: { name, branch: base },
      branch,
    }));
  return await judged(ctx, branches, { state, states });
}

/** What of a ticket in the base workspace is said by where it is. */
const IN_BASE = { workspace: null, problem: null };

/** Where the clones of a ticket's own workspace stand: as git's own files say, or with `look` as git does. */
async function statesApart(
  ctx: CommandContext,
  { directory, record }: ListedTicketWorkspace,
  look: boolean,
): Promise<Record<string, string>> {
  const repos = Object.entries(record?.repos ?? {}).filter(([, { role }]) => role === "work");
  const found = await inPool(ctx.jobs, repos, async ([name, { path, branch }]) => {
    const clone = ctx.git.at(join(directory, path), name);
    if (await clone.activity() === null) return [name, "missing"] as const;
    const on = await clone.branches.current();
    if (on !== branch) return [name, "elsewhere"] as const;
    if (!look) return [name, "there"] as const;
    return [name, (await clone.status()).changes.length > 0 ? "dirty" : "ok"] as const;
  });
  return Object.fromEntries(found);
}

/** The program that works in the workspace of a ticket now. The database is only opened where another process has it open. */
async function agentIn(ctx: CommandContext, id: string): Promise<Pick<ListedTicket, "agent">> {
  if (await ctx.system.files.stat(`${ctx.layout.database}-wal`) === null) return {};
  const run = await runAtWork(ctx, id);
  return run === null
    ? {}
    : { agent: { run_id: run.runId, since: timestamp(run.startedAt ?? run.createdAt) } };
}

/** The tickets that have workspaces of their own. No git process, unless it is to look: one per repository. */
async function ticketsApart(
  ctx: CommandContext,
  manifest: Manifest,
  look: boolean,
): Promise<ListedTicket[]> {
  const { system, root } = ctx;
  const tickets: ListedTicket[] = [];
  for (const ticket of await ticketWorkspaces(system, root, manifest)) {
    const { id, record, problem } = ticket;
    const work = Object.entries(record?.repos ?? {}).filter(([, { role }]) => role === "work");
    tickets.push({
      ticket_id: id,
      active: false,
      repos: Object.fromEntries(work.map(([name, { branch }]) => [name, branch])),
      created_at: record?.created_at ?? "",
      ended_at: null,
      phase: record?.phase ?? "unreadable",
      workspace: `${manifest.workspaceDir}@${id}`,
      problem,
      ...await mergedApart(ctx, ticket, await statesApart(ctx, ticket, look)),
      ...defined({ ports: record?.env }),
      ...await agentIn(ctx, id),
    });
  }
  return tickets;
}

/** The tickets whose own workspaces somebody deleted: each of their branches is on its `remote`, or `gone`. */
async function ticketsGone(ctx: CommandContext, manifest: Manifest): Promise<ListedTicket[]> {
  return (await goneTicketsIfKnown(ctx, manifest)).map((gone) => ({
    ticket_id: gone.id,
    active: false,
    repos: Object.fromEntries(gone.repos.map(({ name, branch }) => [name, branch])),
    created_at: "",
    ended_at: null,
    phase: "gone",
    states: Object.fromEntries(
      gone.repos.map(({ name, remote }) => [name, remote === null ? "gone" : "remote"]),
    ),
    workspace: gone.workspace,
    problem: null,
    gone: remainsText(gone),
    ports: gone.ports,
  }));
}

/** Where the branches of tickets that have ended are. One git process per repository. */
async function whereBranchesAre(
  ctx: CommandContext,
  place: TicketPlace,
  tickets: ReadonlyMap<string, EndedTicket>,
): Promise<(repo: string, branch: string) => string> {
  const names = new Set([...tickets.values()].flatMap(({ repos }) => Object.keys(repos)));
  const directories = await directoriesOf(ctx, place);
  const repos = place.manifest.repos.filter((repo) => repo.enabled && names.has(repo.name));
  const found = new Map<string, ReadonlyMap<string, string> | null>(
    await inPool(ctx.jobs, repos, async ({ name }) => {
      const repository = ctx.git.at(directories(name), name);
      const there = await repository.activity() !== null;
      const refs = ["refs/heads", "refs/remotes/origin"];
      return [
        name,
        there ? await repository.refs.list(refs) : null,
      ] as const;
    }),
  );
  return (repo, branch) => {
    const refs = found.get(repo);
    if (refs === undefined || refs === null) return "missing";
    const here = refs.has(`refs/heads/${branch}`);
    const remote = refs.has(`refs/remotes/origin/${branch}`);
    return here && remote ? "here and remote" : here ? "here" : remote ? "remote" : "gone";
  };
}

/** How the repositories of the active ticket stand, by name. */
async function statesOf(
  ctx: CommandContext,
  place: TicketPlace,
  tracked: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const repos = place.manifest.repos.filter((repo) =>
    repo.enabled && Object.hasOwn(tracked, repo.name)
  );
  const snapshots = await inspectTicketRepos(ctx, place, repos);
  return Object.fromEntries(snapshots.map(({ repo, git, missing }) => [
    repo.name,
    missing
      ? "missing"
      : git === null
      ? "unreadable"
      : git.branch !== tracked[repo.name]
      ? "elsewhere"
      : git.changes.length > 0
      ? "dirty"
      : "ok",
  ]));
}

/** The tickets of the base workspace that have ended and left branches. */
async function endedInBase(
  ctx: CommandContext,
  place: TicketPlace,
  over: ReadonlyMap<string, EndedTicket>,
): Promise<readonly ListedTicket[]> {
  const where = await whereBranchesAre(ctx, place, over);
  return [...over].map(([id, { repos, created_at, ended_at }]) => ({
    ...IN_BASE,
    ticket_id: id,
    active: false,
    repos,
    created_at,
    ended_at,
    phase: "ended",
    states: Object.fromEntries(
      Object.entries(repos).map(([repo, branch]) => [repo, where(repo, branch)]),
    ),
  }));
}

/** The tickets of the base workspace that have not ended. */
async function openInBase(
  ctx: CommandContext,
  place: TicketPlace,
  isOurs: (ticket: TicketState) => boolean,
): Promise<readonly ListedTicket[]> {
  const { tickets, active_ticket: active } = place.state;
  const tracked = active === null ? {} : tickets[active]?.repos ?? {};
  const states = await statesOf(ctx, place, tracked);
  const directories = await directoriesOf(ctx, place);
  const ours = Object.entries(tickets).filter(([, ticket]) => isOurs(ticket));
  return await inPool(ctx.jobs, ours, async ([id, ticket]) => ({
    ...IN_BASE,
    ticket_id: id,
    active: id === active,
    repos: ticket.repos,
    created_at: ticket.created_at,
    ended_at: null,
    phase: typeof ticket["phase"] === "string" ? ticket["phase"] : "started",
    ...await mergedInBase(
      ctx,
      place,
      { ticket, states: id === active ? states : null },
      directories,
    ),
  }));
}

/** The writable repositories that cannot change their branch, as git's own files say. No process. */
async function heldIn(
  ctx: CommandContext,
  place: TicketPlace,
): Promise<Pick<ListData, "held">> {
  const directories = await directoriesOf(ctx, place);
  const repos = place.manifest.repos.filter(({ enabled, readonly }) => enabled && !readonly);
  const found = await inPool(ctx.jobs, repos, async ({ name }) => {
    const clone = ctx.git.at(directories(name), name);
    const activity = await clone.activity();
    if (activity === null) return [];
    const isHeld = activity.inProgress !== null || await clone.branches.current() === null;
    return isHeld ? [name] : [];
  });
  const held = found.flat();
  return held.length === 0 ? {} : { held };
}

/** `amof ticket list`. */
export const listTickets = query({
  name: "amof_ticket_list",
  path: ["ticket", "list"],
  toolset: "ticket",
  scope: "ecosystem",
  next: "tickets",
  needs: "a workspace",
  title: "List tickets",
  summary: "List the tickets with their branches; the active one with its state.",
  examples: ["ticket list", "ticket list --ended", "ticket list --json"],
  pages: { member: "tickets", key: "ticket_id" },
  fields: [
    "tickets",
    "tickets.ticket_id",
    "tickets.active",
    "tickets.repos",
    "tickets.workspace",
    "tickets.change_set",
    "active_ticket",
    "ended",
    "ended_count",
    "untaken",
    "held",
    "warnings",
  ],
  input: (z) => ({
    ended: z.boolean().default(false).describe("Ended ones that left branches"),
    state: unlisted(
      z.boolean().default(false).describe("Look at the files of those with workspaces, too"),
    ),
    pr: unlisted(z.boolean().default(false).describe("Also pull requests, asked of the forges")),
    ...foldingInput(z),
  }),
  async run(ctx, input) {
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const apart = input.ended ? [] : [
      ...await ticketsApart(ctx, manifest, input.state),
      ...await ticketsGone(ctx, manifest),
    ];
    // Tickets with workspaces of their own need no base workspace.
    const place = await placeToRead(ctx).catch(async (error): Promise<readonly string[]> => {
      if (apart.length === 0) throw error;
      return await unusable(ctx, manifest, error);
    });
    if (!("state" in place)) {
      const data = { tickets: apart, active_ticket: null, ended: false, ended_count: 0 };
      return { data: place.length === 0 ? data : { ...data, warnings: place } };
    }
    const { state } = place;
    const isOurs = (ticket: TicketState) => (ticket.ecosystem ?? state.ecosystem) === manifest.name;
    const over = new Map([...endedTickets(state)].filter(([, ticket]) => isOurs(ticket)));
    const tickets = input.ended
      ? await endedInBase(ctx, place, over)
      : [...await openInBase(ctx, place, isOurs), ...apart];
    const ended = [...over].map(([id, { repos }]) => ({ ticket_id: id, repos }));
    const untaken = input.ended ? [] : await untakenIn(ctx, place, {
      known: [...tickets, ...ended],
      // Who has tickets here knows of those of others by `amof branches --all`.
      remote: tickets.length === 0,
    });
    return {
      data: {
        tickets: input.pr
          ? await (await import("./pull_requests.ts")).withChangeSets(ctx, tickets)
          : tickets,
        active_ticket: state.active_ticket,
        ended: input.ended,
        ended_count: over.size,
        ...(untaken.length === 0 ? {} : { untaken }),
        ...(input.ended ? {} : await heldIn(ctx, place)),
        ...(place.warnings.length === 0 ? {} : { warnings: place.warnings }),
      },
    };
  },
  render: renderTickets,
});
