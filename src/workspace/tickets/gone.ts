/**
 * Tickets whose own workspace somebody deleted, without a command of this program: what the database still knows of them,
 * and what remotes have of their work (GONE-1).
 */

import { basename, dirname, join } from "@std/path";
import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { isTicketId } from "../../base/ids.ts";
import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import { ACTIVE_STATUSES, PORT_COUNT } from "../../state/store/mod.ts";
import { few } from "../../base/text/words.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { mirrorsDirectory } from "../mirrors/place.ts";
import { loadState, type TicketState, type WorkspaceState } from "../state.ts";
import { ticketWorkspaces } from "./record.ts";

/** A ticket whose workspace is gone. */
export interface GoneTicket {
  readonly id: string;
  /** Where it was, absolute. */
  readonly directory: string;
  /** The same relative to the control repository, with `/`. */
  readonly workspace: string;
  /** The repositories that it worked on, as far as runs tell: those that had a mirror at least. */
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    /** Where the remote has that branch, as last fetched or pushed; null where it is not known to have it. */
    readonly remote: string | null;
  }[];
  /** The ports that it goes on holding. */
  readonly ports: { readonly port_base: number; readonly port_count: number };
}

type Tools = Pick<
  CommandContext,
  "system" | "git" | "root" | "store" | "layout" | "runs"
>;

/** How many runs of a ticket are asked for its branches. */
const RUNS = 50;

/** What runs of a ticket told of a repository. */
interface Reported {
  readonly branch: string;
  /** The commit of that branch that was pushed last; null where none is known. */
  readonly pushed: string | null;
}

/** What the runs of a ticket told of its repositories, by name; the newest counts. */
async function reportedOf(
  { store, root }: Tools,
  { name: ecosystem }: Manifest,
  id: string,
): Promise<Record<string, Reported>> {
  const { runs } = await store();
  const told: Record<string, Reported> = {};
  for (const { result } of runs.list({ root, ecosystem, ticket: id, limit: RUNS })) {
    const { repos } = fieldsOf(fieldsOf(result)["data"] ?? result);
    for (const row of Array.isArray(repos) ? repos : []) {
      const { name, branch, result: how, commit } = fieldsOf(row);
      if (typeof name !== "string" || typeof branch !== "string") continue;
      const { branch: newest, pushed } = told[name] ?? { branch, pushed: null };
      const isPush = how === "pushed" && branch === newest && typeof commit === "string";
      told[name] = { branch: newest, pushed: pushed ?? (isPush ? commit : null) };
    }
  }
  return told;
}

/** The repositories of a ticket that is gone, with what their mirrors and clones have, and what was pushed. No process. */
async function reposOf(
  tools: Tools,
  manifest: Manifest,
  { ticket: id, directory }: { readonly ticket: string; readonly directory: string },
): Promise<GoneTicket["repos"]> {
  const { borrowers } = await tools.store();
  const told = await reportedOf(tools, manifest, id);
  const mirrors = new Map(
    borrowers.list().filter((one) => one.directory.startsWith(join(directory, "/")))
      .map((one) => [one.directory, one.mirror]),
  );
  const found = [];
  for (const { name, path, readonly } of manifest.repos) {
    const mirror = mirrors.get(join(directory, path)) ?? null;
    const { branch, pushed } = told[name] ??
      { branch: `${manifest.featurePrefix}/${id}`, pushed: null };
    if (readonly || (mirror === null && told[name] === undefined)) continue;
    const clone = join(tools.root, manifest.workspaceDir, path);
    const places = [
      ...(mirror === null ? [] : [[mirror, `refs/heads/${branch}`] as const]),
      [clone, `refs/remotes/origin/${branch}`] as const,
    ];
    const known = await Promise.all(
      places.map(async ([at, ref]) => (await tools.git.at(at).refs.peek([ref])).get(ref)),
    );
    found.push({ name, branch, remote: known.find((one) => one !== undefined) ?? pushed });
  }
  return found;
}

/** Whether the workspace of a ticket is being made, or lies beside its place: put away, set aside. */
async function liesBeside({ files }: Tools["system"], directory: string): Promise<boolean> {
  const begins = `.${basename(directory)}.amof-`;
  return (await files.list(dirname(directory))).some(({ name }) => name.startsWith(begins));
}

/** Whether a run is at work on a ticket, and may be making its workspace; what ends it makes none. */
async function isAtWork(
  { store, root }: Tools,
  { name: ecosystem }: Manifest,
  id: string,
): Promise<boolean> {
  const { runs } = await store();
  return runs.list({ root, ecosystem, statuses: ACTIVE_STATUSES, limit: 200 })
    .some(({ ticket, args, action }) =>
      action !== "ticket_end" && (ticket === id || args["ticket_id"] === id)
    );
}

/**
 * The tickets that hold ports and have no workspace any more, in the order of their ids. None while interrupted
 * work waits to be settled. No process; the database is not opened on a machine without mirrors.
 */
export async function goneTickets(tools: Tools, manifest: Manifest): Promise<GoneTicket[]> {
  const { system, root, layout } = tools;
  const { files } = system;
  if (await files.lstat(mirrorsDirectory(layout)) === null) return [];
  const { ports } = await tools.store();
  const base = join(root, manifest.workspaceDir);
  const missingNow = async () => {
    const held = ports.list().filter((one) =>
      one.root === root && one.ecosystem === manifest.name && isTicketId(one.ticket) &&
      one.directory === `${base}@${one.ticket}`
    );
    const missing = [];
    for (const one of held) {
      if (await files.lstat(one.directory) === null) missing.push(one);
    }
    return missing;
  };
  const missing = await missingNow();
  if (missing.length === 0 || (await tools.runs.unfinished(manifest.name)).length > 0) return [];
  const renamed = new Set(
    (await ticketWorkspaces(system, root, manifest)).map(({ renamedFrom }) => renamedFrom),
  );
  const gone: GoneTicket[] = [];
  for (const { ticket: id, directory, base: port_base } of missing) {
    if (renamed.has(id) || await liesBeside(system, directory)) continue;
    if (await isAtWork(tools, manifest, id)) continue;
    gone.push({
      id,
      directory,
      workspace: `${manifest.workspaceDir}@${id}`,
      repos: await reposOf(tools, manifest, { ticket: id, directory }),
      ports: { port_base, port_count: PORT_COUNT },
    });
  }
  if (gone.length === 0) return gone;
  // One that was ended meanwhile has let go of its ports before the last of it was deleted.
  const still = new Set((await missingNow()).map(({ directory }) => directory));
  return gone.filter(({ directory }) => still.has(directory)).toSorted((a, b) =>
    a.id.localeCompare(b.id, "en", { numeric: true })
  );
}

/** One ticket as {@linkcode goneTickets} has it; null for any other, and for one that the base workspace has, too. */
export async function findGoneTicket(
  tools: Tools,
  manifest: Manifest,
  id: string,
): Promise<GoneTicket | null> {
  const state = await loadState(tools.system, join(tools.root, manifest.workspaceDir))
    .catch(() => null);
  if (Object.hasOwn(state?.tickets ?? {}, id)) return null;
  return (await goneTickets(tools, manifest)).find((gone) => gone.id === id) ?? null;
}

/** As {@linkcode goneTickets}; none where the database cannot be read, for what has more to tell than that. */
export async function goneTicketsIfKnown(tools: Tools, manifest: Manifest): Promise<GoneTicket[]> {
  try {
    return await goneTickets(tools, manifest);
  } catch (error) {
    if (error instanceof AmofError) return [];
    throw error;
  }
}

/** What remotes have of a ticket that is gone, and what they are not known to have: "feature/T-1 of api at 1234abcd". */
export function remainsText({ repos }: Pick<GoneTicket, "repos">): string {
  const there = repos.flatMap(({ name, branch, remote }) =>
    remote === null ? [] : [`${branch} of ${name} at ${remote.slice(0, 8)}`]
  );
  const none = repos.flatMap(({ name, remote }) => remote === null ? [name] : []);
  return [
    ...(there.length === 0 ? [] : [`remotes had ${few(there, 5)} when last fetched or pushed`]),
    ...(none.length === 0 ? [] : [`nothing pushed is known of ${few(none, 5)}`]),
  ].join("; ");
}

// Tickets that have ended: remembered in the state of the workspace as long as one of their branches may be there.

/** The most that are remembered; the oldest go first. */
const MOST = 200;

/** What is remembered of a ticket that has ended. */
export interface EndedTicket extends TicketState {
  /** ISO 8601 in UTC. */
  readonly ended_at: string;
}

function isEnded(value: unknown): value is EndedTicket {
  const { ended_at, repos } = fieldsOf(value);
  return typeof ended_at === "string" && isObject(repos) &&
    Object.values(repos).every((branch) => typeof branch === "string");
}

/** The member of the state as it is, for writing it again without losing what is not understood. */
function remembered(state: WorkspaceState): Fields {
  return fieldsOf(state["ended_tickets"]);
}

/** The tickets that have ended, by id, the last one first; those that have been started again are none. */
export function endedTickets(state: WorkspaceState): ReadonlyMap<string, EndedTicket> {
  const found = Object.entries(remembered(state)).flatMap(([id, ticket]) =>
    isEnded(ticket) && !Object.hasOwn(state.tickets, id) ? [[id, ticket] as const] : []
  );
  return new Map(found.sort(([, a], [, b]) => a.ended_at < b.ended_at ? 1 : -1));
}

/**
 * The state in which a ticket has ended and has these branches left, by repository; with none it is forgotten.
 * Branches of an earlier time under the same name are kept in mind.
 */
export function withEnded(
  state: WorkspaceState,
  id: string,
  { ticket, left, now }: {
    readonly ticket: TicketState;
    readonly left: Readonly<Record<string, string>>;
    readonly now: string;
  },
): WorkspaceState {
  const { [id]: _, ...tickets } = state.tickets;
  const { [id]: before, ...others } = remembered(state);
  const earlier = isEnded(before) && Object.hasOwn(state.tickets, id) ? before.repos : {};
  const repos = {
    ...Object.fromEntries(
      Object.entries(earlier).filter(([name, branch]) => ticket.repos[name] !== branch),
    ),
    ...left,
  };
  const ended = isEnded(ticket) ? ticket : { ...ticket, phase: "ended", ended_at: now };
  const all = Object.keys(repos).length === 0 ? others : { ...others, [id]: { ...ended, repos } };
  const old = Object.entries(all).filter(([, entry]) => isEnded(entry))
    .sort(([, a], [, b]) => (a as EndedTicket).ended_at < (b as EndedTicket).ended_at ? 1 : -1)
    .slice(MOST).map(([name]) => name);
  const { ended_tickets: _before, ...rest } = state;
  const kept = Object.entries(all).filter(([name]) => !old.includes(name));
  return {
    ...rest,
    tickets,
    ...(kept.length === 0 ? {} : { ended_tickets: Object.fromEntries(kept) }),
  };
}
