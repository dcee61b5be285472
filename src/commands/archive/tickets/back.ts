/** Workspaces of tickets that come back out of an archive: which of them can, and how (AWAY-2). */

import { ticketGoing } from "../../ticket/going.ts";
import { dirname, join } from "@std/path";
import { inPool } from "../../../base/async/pool.ts";
import type { CommandContext, ExecuteContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import type { JournalStep } from "../../../state/store/mod.ts";
import {
  type ListedTicketWorkspace,
  loadRecord,
  ticketDirectory,
  ticketWorkspaces,
} from "../../../workspace/tickets/mod.ts";
import {
  bringMirrors,
  bringTicketBack,
  isAwayName,
  type Mirrors,
  renewTicketPorts,
  type TicketAway,
} from "../../../workspace/tickets/changing.ts";
import { loadState } from "../../../workspace/mod.ts";
import { hideTickets } from "../../../workspace/changing.ts";
import type { Manifest } from "../../../workspace/manifest/mod.ts";
import type { Archive, ArchivedTicket } from "../record.ts";
import { count } from "../../../base/text/words.ts";
import {
  environmentStands,
  isMinor,
  type Loss,
  lossesOf,
  lossLines,
} from "../../removal/losses.ts";

/** The workspace of a ticket that comes back. */
export interface TicketBack {
  readonly ticket_id: string;
  /** Relative to the control repository. */
  readonly workspace: string;
  /** The name of the directory it lies in, beside the workspace. */
  readonly away: string;
  /** Repositories with their places in the workspace, and whether they borrow from a mirror. */
  readonly repos: readonly {
    readonly name: string;
    readonly path: string;
    readonly borrows: boolean;
  }[];
  /** The first of the ports it had. */
  readonly port_base: number;
}

/** The workspace of a ticket that does not come back. */
export interface LeftOut {
  readonly ticket_id: string;
  readonly why: string;
}

/** What became of a ticket that came back. */
export interface TicketRow {
  readonly ticket_id: string;
  readonly workspace: string;
  readonly ports: { readonly base: number; readonly count: number; readonly kept: boolean };
  /** Objects that a clone needs, and that neither it nor its mirror has any more, by repository. */
  readonly missing: readonly { readonly repo: string; readonly objects: readonly string[] }[];
}

/** The newest archive that names a ticket which is put away; undefined where none does. */
export function newestWith(
  archives: readonly Archive[],
  away: readonly TicketAway[],
): string | undefined {
  return archives.find(({ record }) =>
    record?.ticket_workspaces?.some((entry) => away.some(({ name }) => name === entry.away)) ===
      true
  )?.name;
}

/** The error of an archive out of which no ticket can come back, where nothing else is to be restored. */
export function nothingAway(
  { ecosystem }: Pick<CommandContext, "ecosystem">,
  archive: string,
  leftOut: readonly LeftOut[],
): AmofError {
  const [first] = leftOut;
  return new AmofError(
    "archive_not_found",
    `Cannot bring tickets of "${ecosystem}" back: ${
      first === undefined
        ? `${archive} names none that is put away`
        : `${first.ticket_id}: ${first.why}`
    }`,
    {
      hint: "See what archives have: amof archive list",
      details: { archive, left_out: leftOut },
    },
  );
}

/** Whether the id of a ticket that comes back, or its place, is taken meanwhile; why, or null. */
async function taken(
  { system, root }: CommandContext,
  manifest: Manifest,
  id: string,
): Promise<string | null> {
  if (await system.files.lstat(ticketDirectory(root, manifest, id)) !== null) {
    return `something is at ${manifest.workspaceDir}@${id}`;
  }
  const state = await loadState(system, join(root, manifest.workspaceDir)).catch(() => null);
  return state?.tickets[id] === undefined
    ? null
    : "a ticket of that id is worked on in the base workspace";
}

/** Tells those of a record that can come back from those that cannot. No process. */
export async function ticketsBack(
  ctx: CommandContext,
  manifest: Manifest,
  { named, away }: {
    readonly named: readonly ArchivedTicket[];
    readonly away: readonly TicketAway[];
  },
): Promise<{ readonly back: TicketBack[]; readonly left_out: LeftOut[] }> {
  const back: TicketBack[] = [];
  const left_out: LeftOut[] = [];
  const there = new Set(
    (await ticketWorkspaces(ctx.system, ctx.root, manifest)).map(({ id }) => id),
  );
  for (const { ticket_id: id, away: name } of named) {
    const found = isAwayName(manifest, name, id)
      ? away.find((entry) => entry.name === name)
      : undefined;
    // One that came back already is nothing to tell of.
    if (found === undefined && there.has(id)) continue;
    const why = found === undefined
      ? "its workspace is not on this machine"
      : found.record === null
      ? "the record in its workspace cannot be used"
      : await taken(ctx, manifest, id);
    if (why !== null || found?.record === null || found === undefined) {
      left_out.push({ ticket_id: id, why: why ?? "" });
      continue;
    }
    back.push({
      ticket_id: id,
      workspace: `${manifest.workspaceDir}@${id}`,
      away: name,
      repos: Object.entries(found.record.repos).map(([repo, { path, mirror }]) => ({
        name: repo,
        path,
        borrows: mirror !== null,
      })),
      port_base: found.record.env.port_base,
    });
  }
  return { back, left_out };
}

/** Brings the mirrors up to date that the clones borrow from, and makes those again that are gone. */
export async function mirrorsBack(
  ctx: ExecuteContext,
  manifest: Manifest,
  { base, back, notes }: {
    /** The directory of the base workspace, or null where none is there yet. */
    readonly base: string | null;
    readonly back: readonly TicketBack[];
    readonly notes: string[];
  },
): Promise<Mirrors> {
  const wanted = new Set(
    back.flatMap(({ repos }) => repos.filter(({ borrows }) => borrows).map(({ name }) => name)),
  );
  const repos = manifest.repos.filter(({ name }) => wanted.has(name));
  const terms = { what: `restore ${ctx.ecosystem}`, offline: false, notes, repair: true };
  return await bringMirrors(ctx, base, repos, terms);
}

/** The steps by which tickets come back. */
export async function ticketSteps(
  ctx: ExecuteContext,
  manifest: Manifest,
  back: readonly TicketBack[],
): Promise<JournalStep[]> {
  if (back.length === 0) return [];
  return [
    ...await hideTickets(ctx, manifest),
    ...back.flatMap(({ ticket_id: ticket, away: name }) => {
      const directory = ticketDirectory(ctx.root, manifest, ticket);
      const moved = { ticket, directory, away: join(dirname(directory), name) };
      return [renewTicketPorts.step(moved), bringTicketBack.step(moved)];
    }),
  ];
}

/** What became of the tickets, looked at afterwards. A process for each clone whose mirror was made again. */
export async function ticketRows(
  ctx: ExecuteContext,
  { back, mirrors }: { readonly back: readonly TicketBack[]; readonly mirrors: Mirrors },
): Promise<TicketRow[]> {
  return await inPool(
    ctx.jobs,
    back,
    async ({ ticket_id, workspace, repos, port_base }) => {
      const directory = join(ctx.root, workspace);
      const env = (await loadRecord(ctx.system, directory))?.env;
      const missing: { repo: string; objects: readonly string[] }[] = [];
      for (const { name, path, borrows } of repos) {
        if (!borrows || mirrors.get(name)?.result !== "made") continue;
        const { borrowed } = ctx.git.at(join(directory, path), name);
        if (await borrowed.trouble() === null) continue;
        missing.push({ repo: name, objects: await borrowed.missing() });
      }
      const base = env?.port_base ?? port_base;
      const ports = { base, count: env?.port_count ?? 0, kept: base === port_base };
      return { ticket_id, workspace, ports, missing };
    },
  );
}

// Tickets with workspaces of their own that an archive puts away with the rest (AWAY-1).

/** The workspace of a ticket that is put away. */
export interface TicketFact {
  readonly ticket_id: string;
  /** Relative to the control repository. */
  readonly workspace: string;
  readonly repos: readonly {
    readonly name: string;
    readonly role: "work" | "context";
    readonly branch: string | null;
    readonly commit: string | null;
  }[];
  /** What is only there, and goes along. */
  readonly keeps: readonly Loss[];
  /** Whether an environment of the ticket stands, which stays as it is. */
  readonly environment: boolean;
}

/** Looks at the workspace of one ticket. Throws where it cannot be put away. */
async function ticketFact(
  ctx: CommandContext,
  { workspaceDir }: Manifest,
  { id, directory, record, problem }: ListedTicketWorkspace,
): Promise<TicketFact> {
  const what = `archive ticket ${id}`;
  if (record === null || problem !== null) {
    throw new AmofError(
      "state_corrupt",
      `Cannot ${what}: its record cannot be used: ${problem ?? "there is none"}`,
      { hint: "See what mends it: amof doctor" },
    );
  }
  const { stock } = await ticketGoing(ctx, { directory, record }, {
    command: "archive --tickets",
    what,
  });
  return {
    ticket_id: id,
    workspace: `${workspaceDir}@${id}`,
    repos: Object.entries(record.repos).map(([name, { role }]) => {
      const there = stock.repos.find((repo) => repo.name === name);
      return { name, role, branch: there?.branch ?? null, commit: there?.head ?? null };
    }),
    keeps: lossesOf(stock).map((loss) => ({ ...loss, repo: `${id}/${loss.repo}` })),
    environment: await environmentStands({ ...ctx, ticket: id }),
  };
}

/** Looks at the workspaces of all tickets. Throws where one of them cannot be put away. */
export async function ticketFacts(ctx: CommandContext, manifest: Manifest): Promise<TicketFact[]> {
  const facts: TicketFact[] = [];
  for (const ticket of await ticketWorkspaces(ctx.system, ctx.root, manifest)) {
    facts.push(await ticketFact(ctx, manifest, ticket));
  }
  return facts;
}

/** What happens to the workspaces of tickets, as effects. */
export function ticketEffects(facts: readonly TicketFact[]): string[] {
  return facts.flatMap(({ ticket_id: id, workspace, repos, keeps, environment }) => [
    `Put ${workspace} away as it is, with ${
      count(repos.length, "clone")
    }: nothing of it is deleted or pushed`,
    ...lossLines(keeps.filter((loss) => !isMinor(loss))).map((line) => `Keep ${line}`),
    ...(environment
      ? [`Leave the environment of ${id} as it is: it is found again when the ticket comes back`]
      : []),
  ]);
}
