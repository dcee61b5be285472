/**
 * Workspaces of tickets that are archived as they are, and come back as they were (AWAY-1).
 *
 * Each is renamed to a hidden neighbour of its place. Nothing in it is read, copied or changed for that. So
 * every byte comes back: what is committed, staged, stashed or ignored, and untracked files. Its ports and its
 * claim on the mirrors stay its own meanwhile, under the name of its place.
 */

import { basename, dirname, join } from "@std/path";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { isTicketId } from "../../base/ids.ts";
import { operation } from "../../runs/steps/mod.ts";
import { moveDirectory } from "../../base/system/move_directory.ts";
import type { System } from "../../base/system/mod.ts";
import type { Manifest, Repo } from "../manifest/manifest.ts";
import { reservePorts, writeTicket } from "./ports.ts";
import { loadRecord, recordFile, type TicketRecord } from "./record.ts";
import type { Git } from "../../git/mod.ts";
import type { RepoSnapshot } from "../clones/mod.ts";
import { isOwnState, type WorkspaceState } from "../state.ts";

const AWAY = /^\.(.+)@([^@]+)\.amof-archived-[0-9a-f]{8}$/;

/** A workspace that is put away, and its place; a type alias, so that it counts as plain JSON. */
type DirectoryMove = {
  readonly ticket: string;
  /** Where the ticket is worked on, absolute. */
  readonly directory: string;
  /** Where it lies meanwhile, beside that. */
  readonly away: string;
};

/** The workspace of a ticket that is put away. */
export interface TicketAway {
  readonly id: string;
  /** The name of its directory, which lies beside the base workspace. */
  readonly name: string;
  /** Absolute. */
  readonly place: string;
  /** Null where it cannot be used. */
  readonly record: TicketRecord | null;
}

/** A hidden neighbour of the place of a ticket, for it to lie in. */
export function awayBeside({ system }: Pick<ExecuteContext, "system">, directory: string): string {
  return join(dirname(directory), `.${basename(directory)}.amof-archived-${system.ids.hex(8)}`);
}

/** Whether a name is one under which the workspace of a ticket is put away. */
export function isAwayName(
  { workspaceDir }: Pick<Manifest, "workspaceDir">,
  name: string,
  id: string,
): boolean {
  const [, base, ticket] = AWAY.exec(name) ?? [];
  return base === basename(workspaceDir) && ticket === id && isTicketId(id);
}

/** The record in a directory where it is that of a ticket; null where it is none, or of another one. */
async function recordIn(
  system: System,
  place: string,
  { id, ecosystem }: { readonly id: string; readonly ecosystem: string },
): Promise<TicketRecord | null> {
  try {
    const record = await loadRecord(system, place);
    return record?.ticket_id === id && record.ecosystem === ecosystem ? record : null;
  } catch (error) {
    if (error instanceof AmofError) return null;
    throw error;
  }
}

/** The workspaces of tickets that are put away beside the base workspace, by name. No process. */
export async function ticketsAway(
  { system, root }: Pick<CommandContext, "system" | "root">,
  { name: ecosystem, workspaceDir }: Pick<Manifest, "name" | "workspaceDir">,
): Promise<TicketAway[]> {
  const parent = dirname(join(root, workspaceDir));
  const found: TicketAway[] = [];
  for (const { name, kind } of await system.files.list(parent)) {
    const id = AWAY.exec(name)?.[2];
    if (kind !== "directory" || id === undefined) continue;
    if (!isAwayName({ workspaceDir }, name, id)) continue;
    const place = join(parent, name);
    found.push({ id, name, place, record: await recordIn(system, place, { id, ecosystem }) });
  }
  return found.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The error of a place for the workspace of a ticket that is no longer free. */
export function placeTaken(path: string): AmofError {
  return new AmofError(
    "workspace_exists",
    `Cannot put the ticket at ${path}: something else has come there meanwhile`,
    { hint: "Move it away, then repeat", details: { path } },
  );
}

/** Renames the workspace of a ticket; throws `workspace_exists` where something else is at its place. */
export function placeWorkspace({ files }: System, from: string, to: string): Promise<void> {
  return moveDirectory(files, from, to, () => placeTaken(to));
}

/** Puts the workspace of a ticket away. */
export const putTicketAway = operation<DirectoryMove>({
  name: "put_ticket_away",
  touches: ({ directory, away }) => [directory, away],
  describe: ({ ticket }) => `Put ${ticket} away`,
  act: ({ system }, { directory, away }) => placeWorkspace(system, directory, away),
  undo: ({ system }, { directory, away }) => placeWorkspace(system, away, directory),
});

/** Puts the workspace of a ticket back at its place. */
export const bringTicketBack = operation<DirectoryMove>({
  name: "bring_ticket_back",
  touches: ({ directory, away }) => [directory, away],
  describe: ({ ticket }) => `Put ${ticket} at its place`,
  act: ({ system }, { directory, away }) => placeWorkspace(system, away, directory),
  undo: ({ system }, { directory, away }) => placeWorkspace(system, directory, away),
});

/**
 * Gives a ticket that comes back its ports. Where others have them by now it gets new ones, and its record and
 * its file of variables say so. It is not taken back: who comes back later finds these ports to be its own.
 */
export const renewTicketPorts = operation<DirectoryMove>({
  name: "renew_ticket_ports",
  touches: ({ away }) => [away],
  describe: ({ ticket }) => `Reserve the ports of ${ticket}`,
  async act(ctx, { ticket, directory, away }) {
    const { root, ecosystem } = ctx;
    const { files } = ctx.system;
    const place = await files.lstat(recordFile(away)) === null ? directory : away;
    const record = await loadRecord(ctx.system, place);
    if (record === null) return;
    const base = await reservePorts(ctx, { directory, root, ecosystem, ticket });
    if (record.env.port_base === base) return;
    await writeTicket(ctx, { place, directory }, record);
  },
});

/** The operations of putting workspaces of tickets away. */
export const AWAY_OPERATIONS = [putTicketAway, bringTicketBack, renewTicketPorts];

// Uncommitted changes that were put away for a ticket, as an entry of git's list of stashes (TICKET-5).

/** The message of the stash that keeps a ticket's uncommitted work; that of no ticket is called `main`. */
export function stashName(ticket: string): string {
  return `amof:${ticket}`;
}

/** The branch that a clone is on for a ticket, or for none. */
export function branchFor(
  { tickets }: WorkspaceState,
  { name, branch }: { readonly name: string; readonly branch: string },
  ticket: string,
): string {
  const its = Object.hasOwn(tickets, ticket) ? tickets[ticket]?.repos : undefined;
  return its?.[name] ?? branch;
}

/**
 * What changes on a branch are kept as: for the active ticket, and on a branch that is not its own for the one that has
 * it. On a branch of none they wait for that alone, whatever their name is.
 */
export function stashFor(
  state: WorkspaceState,
  repo: Repo,
  branch: string,
): { readonly name: string; readonly isAstray: boolean } {
  const active = state.active_ticket ?? "main";
  const its = [active, "main", ...Object.keys(state.tickets)]
    .find((id) => branchFor(state, repo, id) === branch);
  return { name: stashName(its ?? active), isAstray: its === undefined };
}

/** What the changes of the active ticket are kept as in a clone that is on its branch; null for none. One process where it has stashes. */
export async function keptForActive(
  git: Git,
  { repo, directory, git: seen, expectedBranch }: Pick<
    RepoSnapshot,
    "repo" | "directory" | "git" | "expectedBranch"
  >,
  state: WorkspaceState | null,
): Promise<string | null> {
  const ticket = state?.active_ticket ?? null;
  const isThere = seen !== null && seen.stashes > 0 && seen.branch === expectedBranch;
  if (ticket === null || !isThere || state?.tickets[ticket]?.repos[repo.name] === undefined) {
    return null;
  }
  const name = stashName(ticket);
  return await git.at(directory, repo.name).stashes.find(name, expectedBranch) === null
    ? null
    : name;
}

/** Changes that were put away on a branch of no ticket. */
export interface StrayKept {
  readonly branch: string;
  /** As git calls it, such as `stash@{0}`. */
  readonly stash: string;
  /** Whether the branch is still there. */
  readonly isThere: boolean;
}

/** What is put away in a clone for others than the active ticket. */
export interface PutAway {
  /** The other tickets, and `main` for none; a switch to one brings its changes back. */
  readonly tickets: readonly string[];
  /** What waits for branches of no ticket. */
  readonly astray: readonly StrayKept[];
}

/** What is put away in a clone for others than the active ticket. One process where it has stashes. */
export async function keptForOthers(
  git: Git,
  { repo, directory, git: seen }: Pick<RepoSnapshot, "repo" | "directory" | "git">,
  state: WorkspaceState | null,
): Promise<PutAway> {
  if (seen === null || seen.stashes === 0 || state === null || isOwnState(state)) {
    return { tickets: [], astray: [] };
  }
  const { stashes, refs } = git.at(directory, repo.name);
  const kept = (await stashes.list()).flatMap(({ title, branch, number }) => {
    const [, id] = /^amof:(.+)$/.exec(title) ?? [];
    if (id === undefined || branch === null) return [];
    return [{ id, branch, number, isHome: branchFor(state, repo, id) === branch }];
  });
  const others = Object.keys(state.tickets).filter((id) => id !== state.active_ticket);
  const names = state.active_ticket === null ? others : ["main", ...others];
  const astray = kept.filter(({ isHome }) => !isHome);
  const ref = (branch: string) => `refs/heads/${branch}`;
  const there = astray.length === 0
    ? new Map()
    : await refs.peek(astray.map(({ branch }) => ref(branch)));
  return {
    tickets: names.filter((name) => kept.some(({ id, isHome }) => isHome && id === name)),
    astray: astray.map(({ branch, number }) => ({
      branch,
      stash: `stash@{${number}}`,
      isThere: there.has(ref(branch)),
    })),
  };
}
