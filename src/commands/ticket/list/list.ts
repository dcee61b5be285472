/** `amof ticket list`: the tickets of a workspace with their branches. */

import { join } from "@std/path";
import { AmofError } from "../../../base/error.ts";
import {
  type EndedTicket,
  endedTickets,
  goneTicketsIfKnown,
  type ListedTicketWorkspace,
  remainsText,
  runAtWork,
  type TicketRecord,
  ticketWorkspaces,
} from "../../../workspace/tickets/mod.ts";
import { loadManifest, type Manifest } from "../../../workspace/manifest/mod.ts";
import type { TicketState } from "../../../workspace/mod.ts";
import { defined } from "../../../base/object.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { inPool } from "../../../base/async/pool.ts";
import { foldingInput } from "../../../contract/folding.ts";
import { type CommandContext, query, unlisted } from "../../../contract/mod.ts";
import { blocks } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { Brief, type Cell, type Table, table } from "../../../base/text/table.ts";
import { toned } from "../../../base/text/tone.ts";
import { count, few } from "../../../base/text/words.ts";
import { mergedApart, mergedHere } from "./merged.ts";
import { directoriesOf, inspectTicketRepos, placeToRead, type TicketPlace } from "../preflight.ts";

/** A ticket as the list has it. */
export interface ListedTicket {
  readonly ticket_id: string;
  readonly active: boolean;
  /** Repository to branch. */
  readonly repos: Readonly<Record<string, string>>;
  readonly created_at: string;
  /** Null unless it has ended. */
  readonly ended_at: string | null;
  readonly phase: string;
  /**
   * By repository. Of the active ticket `ok`, `dirty`, `missing`, `unreadable` or `elsewhere`; of an ended one `here`,
   * `remote`, `here and remote`, `gone`, or `missing` without a clone; of a deleted workspace `remote` or `gone`.
   */
  readonly states: Readonly<Record<string, string>> | null;
  /** Set where its work is in the base branches, as far as is known without git (WORKSPACE-30). */
  readonly merged?: true;
  /** Relative to the control repository, where it has a workspace of its own, else null. */
  readonly workspace: string | null;
  /** Why its record cannot be used, or null. */
  readonly problem: string | null;
  /** Its own workspace was deleted by hand: what the remotes had of its branches, when last fetched. */
  readonly gone?: string;
  /** The ports of its workspace; absent without one. */
  readonly ports?: TicketRecord["env"];
  /** The program that works there now (`amof agent run`); absent where none does. */
  readonly agent?: { readonly run_id: string; readonly since: string };
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
      states: await statesApart(ctx, ticket, look),
      workspace: `${manifest.workspaceDir}@${id}`,
      problem,
      ...await mergedApart(ctx, ticket),
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

/** The tickets of an ecosystem. */
export interface ListData {
  readonly tickets: readonly ListedTicket[];
  readonly active_ticket: string | null;
  /** Whether these are the ones that have ended. */
  readonly ended: boolean;
  /** How many have ended with branches left. */
  readonly ended_count: number;
  /** What the answer cannot know; absent when it knows all. */
  readonly warnings?: readonly string[];
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
async function endedHere(
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
async function openHere(
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
    states: id === active ? states : null,
    ...await mergedHere(ctx, place, ticket, directories),
  }));
}

/** `amof ticket list`. */
export const listTickets = query({
  name: "amof_ticket_list",
  path: ["ticket", "list"],
  toolset: "ticket",
  scope: "ecosystem",
  next: "tickets",
  inWorkspace: true,
  title: "List tickets",
  summary: "List the tickets of the workspace with their branches; the active one with its state.",
  examples: ["ticket list", "ticket list --ended", "ticket list --json"],
  pages: { member: "tickets", key: "ticket_id" },
  fields: [
    "tickets",
    "tickets.ticket_id",
    "tickets.active",
    "tickets.repos",
    "tickets.workspace",
    "active_ticket",
    "ended",
    "ended_count",
    "warnings",
  ],
  input: (z) =>
    z.strictObject({
      ended: z.boolean().default(false).describe("Ended ones that left branches"),
      state: unlisted(
        z.boolean().default(false).describe("Look at the files of those with workspaces, too"),
      ),
      ...foldingInput(z),
    }),
  async run(ctx, input) {
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const apart = input.ended ? [] : [
      ...await ticketsApart(ctx, manifest, input.state),
      ...await ticketsGone(ctx, manifest),
    ];
    const place = await placeToRead(ctx).catch((error) => {
      // Tickets with workspaces of their own need no base workspace.
      const absent = error instanceof AmofError && error.code === "workspace_not_installed";
      if (absent && apart.length > 0) return null;
      throw error;
    });
    if (place === null) {
      return { data: { tickets: apart, active_ticket: null, ended: false, ended_count: 0 } };
    }
    const { state } = place;
    const isOurs = (ticket: TicketState) => (ticket.ecosystem ?? state.ecosystem) === manifest.name;
    const over = new Map([...endedTickets(state)].filter(([, ticket]) => isOurs(ticket)));
    const tickets = input.ended
      ? await endedHere(ctx, place, over)
      : [...await openHere(ctx, place, isOurs), ...apart];
    return {
      data: {
        tickets,
        active_ticket: state.active_ticket,
        ended: input.ended,
        ended_count: over.size,
        ...(place.warnings.length === 0 ? {} : { warnings: place.warnings }),
      },
    };
  },
  render: (data: ListData, input) => ({
    summary: data.ended
      ? `Found ${
        data.tickets.length === 0 ? "no ended tickets" : count(data.tickets.length, "ended ticket")
      } with branches left.`
      : data.tickets.length === 0
      ? "Found no tickets."
      : `Found ${count(data.tickets.length, "ticket")}, ${data.active_ticket ?? "none"} active.`,
    details: blocks(
      ...(data.warnings ?? []).map((warning) => `⚠ ${warning}`),
      ...data.tickets.flatMap(goneLine),
      data.tickets.length > 0
        ? ticketTable(data, input.all === true)
        : data.ended
        ? null
        : "Start one with: amof ticket start ID",
      data.ended && data.tickets.length > 0
        ? "Delete the branches of one: amof ticket end ID --cleanup"
        : null,
      !data.ended && data.ended_count > 0
        ? `${count(data.ended_count, "ended ticket")} left branches: amof ticket list --ended`
        : null,
    ),
  }),
});

/** What is said of a ticket whose own workspace was deleted by hand; empty for any other. */
function goneLine({ ticket_id: id, workspace, gone }: ListedTicket): string[] {
  return gone === undefined ? [] : [
    `⚠ ${workspace} was deleted, and what was only there with it: ${cleanLine(gone, 300)}`,
    `  Make it again out of what is pushed: amof ticket start ${id} --workspace`,
    `  Let go of it: amof ticket end ${id}`,
  ];
}

/** The tickets; of many only the active one, unless those that have ended were asked for. */
function ticketTable({ tickets, ended }: ListData, all: boolean): Table {
  const apart = tickets.some(({ workspace }) => workspace !== null);
  const where = apart ? ["workspace"] : [];
  const shown = table(
    ["ticket", ...(ended ? [] : ["active"]), "phase", ...where, { name: "repos", prose: true }],
    tickets.map((ticket) => row(ticket, { all, ended, apart })),
  );
  return all || ended ? shown : shown.folding((index) => isIdle(tickets[index]), "not active");
}

/** Whether nobody looks for a ticket first: it waits in the base workspace. */
function isIdle(ticket: ListedTicket | undefined): boolean {
  return ticket?.active !== true && (ticket?.workspace ?? null) === null;
}

/** How many repositories of a ticket are named one by one. */
const NAMED = 4;

function row(
  ticket: ListedTicket,
  { all, ended, apart }: {
    readonly all: boolean;
    readonly ended: boolean;
    readonly apart: boolean;
  },
): Cell[] {
  const repos = Object.entries(ticket.repos).map(([repo, branch]) => {
    const how = ticket.states?.[repo];
    const state = how === undefined || ["ok", "there"].includes(how) ? "" : ` (${how})`;
    return { repo, branch: cleanLine(branch), state };
  });
  const whole = repos.map(({ repo, branch, state }) => `${repo}:${branch}${state}`).join(", ");
  const branches = [...new Set(repos.map(({ branch }) => branch))];
  const odd = repos.filter(({ state }) => state !== "").map(({ repo, state }) => repo + state);
  const brief = [
    `${count(repos.length, "repo")} on ${few(branches, 2)}`,
    ...(odd.length === 0 ? [] : [few(odd, NAMED)]),
  ].join(": ");
  return [
    ticket.ticket_id,
    ...(ended ? [] : [ticket.active ? toned("good", "✓") : ""]),
    (ticket.merged ? "MERGED" : cleanLine(ticket.phase, 30)) +
    (ticket.agent === undefined ? "" : `, run ${ticket.agent.run_id.slice(0, 8)} works there`),
    ...(apart ? [ticket.workspace ?? "base"] : []),
    ticket.problem !== null
      ? toned("bad", `its record cannot be used: ${cleanLine(ticket.problem, 200)}`)
      : all || repos.length <= NAMED
      ? whole
      : new Brief(whole, brief),
  ];
}
