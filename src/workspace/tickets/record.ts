/**
 * The record of a ticket that has a workspace of its own, `<ticket directory>/.amof/ticket.json` (SCOPE-1).
 *
 * Whatever works in the ticket can write there, so nothing that is read is believed: paths stay inside, names are names.
 */

import { basename, dirname, join } from "@std/path";
import {
  type AbsPath,
  absPath,
  branchName,
  isBranchName,
  isTicketId,
  SLUG,
} from "../../base/ids.ts";
import { type Fields, isObject, readObject } from "../../base/object.ts";
import { AmofError } from "../../base/error.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { loadManifest, type Manifest, type Repo } from "../manifest/manifest.ts";
import { placeProblem } from "../manifest/checks.ts";
import type { Git, Repository } from "../../git/mod.ts";
import { followedBase, knownIn } from "./bases.ts";
import type { LastPush } from "../state_format.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { didYouMean, list, meantText } from "../../base/text/words.ts";

/** The version of the file format. */
const RECORD_VERSION = 1;
/** A larger file is no record. */
const MOST_BYTES = 4 << 20;

/** How far a ticket with a workspace is. */
const PHASES = ["started", "open", "landing", "landed"] as const;

/** A repository of a ticket. */
export interface TicketRepo {
  readonly [key: string]: unknown;
  /** Relative to the ticket's directory, with `/`. */
  readonly path: string;
  /** `context` is there to be read: on its base branch, and never pushed. */
  readonly role: "work" | "context";
  readonly branch: string;
  readonly base: string;
  /** Whether that was another one than the manifest's at the start (TICKET-19); absent for no. */
  readonly chosen?: boolean;
  /** The commit it began at. */
  readonly start: string;
  /** The mirror whose objects it borrows, absolute; null where it stands alone. */
  readonly mirror: string | null;
  readonly last_push?: LastPush;
}

/** The file. Keys this program does not know are kept when it is rewritten. */
export interface TicketRecord {
  readonly [key: string]: unknown;
  readonly version: 1;
  readonly ticket_id: string;
  readonly ecosystem: string;
  readonly created_at: string;
  readonly phase: typeof PHASES[number];
  readonly repos: Readonly<Record<string, TicketRepo>>;
  readonly env: { readonly port_base: number; readonly port_count: number };
}

/** A record without the ports, which are given when it is written. */
export type TicketDraft = Pick<
  TicketRecord,
  "version" | "ticket_id" | "ecosystem" | "created_at" | "phase" | "repos"
>;

/** The workspace of a ticket. */
export interface TicketWorkspace {
  readonly directory: AbsPath;
  readonly record: TicketRecord;
}

/** A ticket with a workspace, as the directory listing tells of it. */
export interface ListedTicketWorkspace {
  readonly id: string;
  /** Absolute. */
  readonly directory: AbsPath;
  /** Null where it cannot be used. */
  readonly record: TicketRecord | null;
  /** Why not, as the end of a sentence about the record; null where it can. */
  readonly problem: string | null;
  /** The ticket of this ecosystem whose record is in there, where that is another one; else null. */
  readonly renamedFrom: string | null;
}

/** Where the record of a ticket is. */
export function recordFile(directory: string): string {
  return join(directory, ".amof", "ticket.json");
}

/** What the record of a ticket is called once the ticket has ended and left its workspace to the user (LEAVE-4). */
export function endedFile(directory: string): string {
  return join(directory, ".amof", "ended.json");
}

/** Whether a ticket has ended there whose workspace was kept: then it is nothing of this program any more. */
export async function isLeft(
  { files }: Pick<System, "files">,
  directory: string,
): Promise<boolean> {
  return await files.lstat(recordFile(directory)) === null &&
    await files.lstat(endedFile(directory)) !== null;
}

/**
 * Where the workspace of a ticket is, or would be: beside the base workspace, `<root>/worktrees/shop@PROJ-123`. Throws
 * `invalid_arguments` for an id that cannot be a part of a file's name.
 */
export function ticketDirectory(
  root: string,
  manifest: Pick<Manifest, "workspaceDir">,
  id: string,
): AbsPath {
  const directory = join(root, `${manifest.workspaceDir}@${id}`);
  if (isTicketId(id) && placeProblem(basename(directory)) === null) return absPath(directory);
  const shown = cleanLine(id, 60);
  throw new AmofError(
    "invalid_arguments",
    `Cannot use "${shown}" as a ticket: no directory can have that name everywhere`,
    {
      hint:
        'Use at most 64 letters, digits, ".", "_" and "-", with a letter or digit at both ends, such as PROJ-123',
      details: { ticket_id: shown },
    },
  );
}

/** Whether a directory has the name that workspaces of tickets have; whether it is one, its record tells. */
export function isTicketDirectory(directory: string): boolean {
  const name = basename(directory);
  const at = name.indexOf("@");
  return at > 0 && !name.startsWith(".") && isTicketId(name.slice(at + 1));
}

function isPush(value: unknown): value is LastPush {
  return isObject(value) &&
    ["branch", "commit", "commit_full", "pushed_at"].every((key) => typeof value[key] === "string");
}

/** What is the matter with a repository of a record, as the end of a sentence about it; null when nothing is. */
function repoProblem(name: string, repo: unknown): string | null {
  const of = `its repository "${cleanLine(name, 60)}"`;
  if (!SLUG.test(name) || !isObject(repo)) return `${of} is damaged`;
  const { path, role, branch, base, start, mirror = null, last_push } = repo;
  if (typeof path !== "string" || placeProblem(path) !== null) {
    return `the path of ${of} is damaged`;
  }
  if (role !== "work" && role !== "context") return `the role of ${of} is damaged`;
  const named = [branch, base].every((each) => typeof each === "string" && isBranchName(each));
  if (!named) return `a branch of ${of} is damaged`;
  const commit = typeof start === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(start);
  if (!commit) return `the beginning of ${of} is damaged`;
  if (mirror !== null && typeof mirror !== "string") return `the mirror of ${of} is damaged`;
  return last_push === undefined || isPush(last_push) ? null : `the last push of ${of} is damaged`;
}

/** Reads the text of a record; answers why not, as the end of a sentence about it, when it is none. */
export function parseTicketRecord(text: string): TicketRecord | string {
  const value = readObject(text);
  if (typeof value === "string") return value;
  const { version, ticket_id, ecosystem, created_at, phase, repos, env } = value;
  if (typeof version === "number" && version > RECORD_VERSION) {
    return "it was written by a newer amof";
  }
  if (version !== RECORD_VERSION) return "it is of no known version";
  if (typeof ticket_id !== "string" || !isTicketId(ticket_id)) return "its ticket is damaged";
  if (typeof ecosystem !== "string" || !SLUG.test(ecosystem)) return "its ecosystem is damaged";
  if (typeof created_at !== "string") return "its time is damaged";
  if (!PHASES.some((known) => known === phase)) return "its phase is damaged";
  if (!isObject(repos)) return "its repositories are damaged";
  for (const [name, repo] of Object.entries(repos)) {
    const problem = repoProblem(name, repo);
    if (problem !== null) return problem;
  }
  const ports: Fields = isObject(env) ? env : {};
  const counted = [ports["port_base"], ports["port_count"]].every((port) => Number.isInteger(port));
  if (!counted) return "its ports are damaged";
  const known = Object.entries(repos).map((
    [name, repo],
  ) => [name, { mirror: null, ...repo as Fields }]);
  return { ...value, repos: Object.fromEntries(known) } as unknown as TicketRecord;
}

function corrupt(directory: string, reason: string): AmofError {
  return new AmofError(
    "state_corrupt",
    `Cannot use the record of the ticket, ${
      cleanLine(basename(directory), 120)
    }/.amof/ticket.json: ${reason}`,
    {
      hint: "See what is wrong with the tickets and what mends it: amof doctor",
      details: { reason, directory },
    },
  );
}

/** Why the directory of the record may not be used: a link would lead out of the ticket. Null where it may. */
async function strayed(system: System, directory: string): Promise<string | null> {
  const { files } = system;
  const real = await files.realPath(directory);
  const inside = await files.realPath(join(directory, ".amof"));
  if (real === null || inside === null || inside === join(real, ".amof")) return null;
  return "its directory .amof is a link that leads out of the ticket";
}

/** Reads the record of a ticket; null when there is none. Throws `state_corrupt` when it cannot be used. */
export async function loadRecord(system: System, directory: string): Promise<TicketRecord | null> {
  const file = recordFile(directory);
  const info = await system.files.lstat(file);
  if (info === null) return null;
  const away = await strayed(system, directory);
  if (away !== null) throw corrupt(directory, away);
  if (info.kind !== "file") throw corrupt(directory, "it is not a file");
  if (info.size > MOST_BYTES) throw corrupt(directory, "it is too large to be one");
  const text = await system.files.readText(file);
  if (text === null) return null;
  const record = parseTicketRecord(text);
  if (typeof record === "string") throw corrupt(directory, record);
  return record;
}

/** Writes the record of a ticket in one step. Throws `state_corrupt` where a link would lead it elsewhere. */
export async function saveRecord(
  system: System,
  directory: string,
  record: TicketRecord,
): Promise<void> {
  const away = await strayed(system, directory);
  if (away !== null) throw corrupt(directory, away);
  await system.files.write(recordFile(directory), `${JSON.stringify(record, null, 2)}\n`);
}

/**
 * The tickets of an ecosystem that have a workspace, by the directories beside the base workspace, in the order of their
 * ids. No git process; one file is read for each.
 */
export async function ticketWorkspaces(
  system: System,
  root: string,
  manifest: Pick<Manifest, "name" | "workspaceDir">,
): Promise<readonly ListedTicketWorkspace[]> {
  const base = join(root, manifest.workspaceDir);
  const begins = `${basename(base)}@`;
  const found: ListedTicketWorkspace[] = [];
  for (const { name, kind } of await system.files.list(dirname(base))) {
    const id = name.slice(begins.length);
    if (kind !== "directory" || !name.startsWith(begins) || !isTicketId(id)) continue;
    const directory = absPath(join(dirname(base), name));
    if (await isLeft(system, directory)) continue;
    found.push({ id, directory, ...await judged(system, manifest.name, id, directory) });
  }
  // As people count: PROJ-2 before PROJ-10.
  return found.toSorted((a, b) => a.id.localeCompare(b.id, "en", { numeric: true }));
}

/** The record in a directory, or what is the matter with it. */
async function judged(
  system: System,
  ecosystem: string,
  id: string,
  directory: string,
): Promise<Pick<ListedTicketWorkspace, "record" | "problem" | "renamedFrom">> {
  const none = { record: null, renamedFrom: null };
  try {
    const record = await loadRecord(system, directory);
    if (record === null) return { ...none, problem: "there is none" };
    const problem = mistaken(record, ecosystem, id);
    if (problem === null) return { ...none, record, problem };
    const isOurs = record.ecosystem === ecosystem && isTicketId(record.ticket_id);
    return { record: null, problem, renamedFrom: isOurs ? record.ticket_id : null };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return { ...none, problem: String(error.details["reason"] ?? error.message) };
  }
}

/** Why a record that can be read is not that of a ticket, as the end of a sentence about it; null when it is. */
function mistaken(record: TicketRecord, ecosystem: string, id: string): string | null {
  if (record.ticket_id !== id) return `it is that of ticket ${cleanLine(record.ticket_id, 60)}`;
  return record.ecosystem === ecosystem
    ? null
    : `it is that of another ecosystem, "${cleanLine(record.ecosystem, 60)}"`;
}

/**
 * The record of a ticket that has a workspace, with its directory; null when it has none. Throws `state_corrupt` when
 * it cannot be used or is that of another one.
 */
export async function findTicketWorkspace(
  system: System,
  root: string,
  manifest: Pick<Manifest, "name" | "workspaceDir">,
  id: string,
): Promise<TicketWorkspace | null> {
  const directory = ticketDirectory(root, manifest, id);
  if ((await system.files.lstat(directory))?.kind !== "directory") return null;
  const record = await loadRecord(system, directory);
  if (record === null) return null;
  const problem = mistaken(record, manifest.name, id);
  if (problem !== null) throw corrupt(directory, problem);
  return { directory, record };
}

// What commands see of a ticket that has a workspace of its own: a workspace like any other, with the repositories of the
// ticket (SCOPE-2).

/** The workspace of a ticket; throws `ticket_not_found` with those there are, or `state_corrupt`. */
export async function requireTicketWorkspace(
  system: System,
  root: string,
  manifest: Pick<Manifest, "name" | "workspaceDir">,
  id: string,
): Promise<TicketWorkspace> {
  const found = await findTicketWorkspace(system, root, manifest, id);
  if (found !== null) return found;
  const known = (await ticketWorkspaces(system, root, manifest)).map((ticket) => ticket.id);
  const shown = cleanLine(id, 60);
  throw new AmofError(
    "ticket_not_found",
    `Cannot find the workspace of ticket "${shown}" in "${manifest.name}"${
      meantText(didYouMean(id, known))
    }`,
    {
      hint: known.length === 0
        ? "No ticket has a workspace of its own\nSee all tickets: amof ticket list"
        : `Tickets with a workspace: ${list(known.slice(0, 20))}`,
      details: { ticket_id: shown, available: known },
    },
  );
}

/** The repositories of a manifest as a ticket has them: those it lacks are disabled, and context is read-only. */
function reposOf(
  manifest: Manifest,
  { directory, record }: TicketWorkspace,
  git: Git | undefined,
): Promise<readonly Repo[]> {
  return Promise.all(manifest.repos.map(async (repo) => {
    const own = Object.hasOwn(record.repos, repo.name) ? record.repos[repo.name] : undefined;
    return own === undefined ? { ...repo, enabled: false } : {
      ...repo,
      path: own.path,
      branch: branchName(
        git === undefined || own.base === repo.branch
          ? own.base
          : await followedIn(git.at(join(directory, own.path), repo.name), own, repo.branch),
      ),
      readonly: repo.readonly || own.role === "context",
    };
  }));
}

/** The base branch of a ticket as its own clone shows it; as it began where that cannot be read. */
async function followedIn(
  repository: Repository,
  { branch, base: begun, chosen = false }: TicketRepo,
  now: string,
): Promise<string> {
  try {
    const known = await knownIn(repository, [begun, now]);
    return followedBase({ branch, begun, chosen, now }, known);
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    return begun;
  }
}

/**
 * The manifest of a call's ecosystem, in a ticket with the ticket's repositories alone, and with git with their base
 * branches as they are now (TICKET-19). Throws as `loadManifest` and {@linkcode requireTicketWorkspace} do.
 */
export async function scopeManifest(
  ctx: Pick<CommandContext, "system" | "root" | "ecosystem" | "ticket"> & { readonly git?: Git },
): Promise<Manifest> {
  const { system, root, ecosystem, ticket } = ctx;
  const manifest = await loadManifest(system, root, ecosystem);
  if (ticket === null) return manifest;
  const own = await requireTicketWorkspace(system, root, manifest, ticket);
  return { ...manifest, ticket, repos: await reposOf(manifest, own, ctx.git) };
}
