/**
 * Operations as they are kept: how the repositories that a run may change stood before it and after it (UNDO-2).
 *
 * One directory for each run below `<state>/undo`, readable by its user alone: `operation.json`, and an object store with the
 * contents of changed files for each repository.
 */

import { join } from "@std/path";
import type { ExecuteContext, WorkspaceEnded, WorkspaceMade } from "../../contract/mod.ts";
import type { Bounds, Checkpoint } from "../../git/checkpoint/mod.ts";
import { fieldsOf, isObject, jsonIn } from "../../base/object.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import type { Layout } from "../../state/store/mod.ts";
import type { System } from "../../base/system/mod.ts";
import type { TicketRecord } from "../../workspace/tickets/mod.ts";
import type { UndoLimits } from "../../workspace/changing.ts";
import { loadState, looksSecret, saveState } from "../../workspace/mod.ts";

/** The version of the file format. */
const VERSION = 1;

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A repository before and after a run. */
export interface RepoViews {
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
  /** `names`: uncommitted work, index and stashes were none of the run's business, and were not looked at. */
  readonly what: "names" | "everything";
  readonly before: Checkpoint;
  /** Null until the run has ended. */
  readonly after: Checkpoint | null;
}

/** Which tickets a workspace knows, and which one is worked on: the members of its state that undoing brings back. */
type TicketsView = Readonly<Record<string, unknown>>;

/** What a run did to repositories. */
export interface OperationRecord {
  readonly version: typeof VERSION;
  readonly run_id: string;
  readonly action: string;
  readonly root: string;
  /** Empty for what is done in the control repository alone. */
  readonly ecosystem: string;
  /** The ticket that has the workspace, or null for the base workspace. */
  readonly ticket: string | null;
  /** The directory of the workspace it worked in, absolute; the control repository for what is done in there alone. */
  readonly workspace: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** What it was kept under; absent in records of older versions. */
  readonly limits?: UndoLimits;
  /** How many bytes its contents take; absent while it goes on, and in records of older versions. */
  readonly bytes?: number;
  readonly by: string;
  /** The run that it took back, or null. */
  readonly undoes: string | null;
  /** Whether the run came to an end, good or bad, that was looked at. */
  readonly ended: boolean;
  /** While it goes on all repositories that may change, then those that did. */
  readonly repos: readonly RepoViews[];
  readonly tickets: { readonly before: TicketsView | null; readonly after: TicketsView | null };
  /** The workspace that it made; absent for runs that made none. */
  readonly made?: Made;
  /** The workspace of a ticket that it took away; absent for runs that took none. */
  readonly gone?: Gone;
  /** The clones that it brought into a workspace; absent for runs that brought none. */
  readonly added?: Added;
  /**
   * What undo cannot take back of it, with what to do instead behind a semicolon, where that is all of it: nothing but
   * this note is kept then. Absent for runs that can be undone.
   */
  readonly stays?: string;
  /** What undo does not bring back of a run that it can take back: "feature/T-1 on the remote of api"; absent for none. */
  readonly lasts?: string;
  /** Tickets whose own workspaces such a run worked in besides, with these, absolute. */
  readonly also?: readonly { readonly ticket: string; readonly workspace: string }[];
}

/** Clones that a run brought into a workspace. */
export interface Added {
  /** The ticket whose workspace it is; null for the base workspace. */
  readonly ticket: string | null;
  /** The workspace, absolute. */
  readonly directory: string;
  /** When that was made, as its own record says: another time is another workspace. */
  readonly created_at: string;
  readonly clones: readonly {
    readonly name: string;
    /** Relative to the workspace, with `/`. */
    readonly path: string;
    /** What was checked out, and branches, when the run had ended; by this name in files that are there already. */
    readonly picture: Pick<Checkpoint, "head" | "branch" | "refs">;
  }[];
}

/** A clone of a workspace that went; the commits that its base branch does not have are in a pack beside the record. */
export interface GoneClone {
  readonly name: string;
  /** What was checked out, branches and tags, by this name in files that are there already; nothing was uncommitted. */
  readonly picture: Checkpoint;
  /** What branches followed, such as `origin/main`, and the commit that it was at as far as was known. */
  readonly upstreams: Readonly<
    Record<string, { readonly name: string; readonly commit: string | null }>
  >;
  /** The mirror that it borrowed from, or null for a clone that stood alone. */
  readonly mirror: string | null;
}

/** The workspace of a ticket that a run took away. */
export interface Gone extends Pick<WorkspaceEnded, "ticket" | "deleted"> {
  /** Absent in records of earlier versions. */
  readonly flags?: string;
  /** The ticket as its own record had it. */
  readonly record: TicketRecord;
  readonly clones: readonly GoneClone[];
}

/** A workspace that a run made. */
export interface Made extends WorkspaceMade {
  /** When it was made, as its own record says: another time is another workspace. */
  readonly created_at: string;
}

/** The record of a run of which nothing is known yet but what is given. */
export function begunRecord(
  { runId, root, ecosystem, caller, system }: ExecuteContext,
  known:
    & Pick<OperationRecord, "action" | "ticket" | "workspace" | "limits">
    & Partial<OperationRecord>,
): OperationRecord {
  return {
    version: VERSION,
    run_id: runId ?? "",
    root,
    ecosystem,
    at: system.clock.now(),
    by: caller.name,
    undoes: null,
    ended: false,
    repos: [],
    tickets: { before: null, after: null },
    ...known,
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days that an operation can be undone whose record does not tell. */
const KEPT_DAYS = 14;

/** Until when an operation can be undone that is kept for some days, in milliseconds since the epoch. */
function keptUntil(at: number, days: number = KEPT_DAYS): number {
  return at + days * DAY_MS;
}

/** Until when an operation can be undone, in milliseconds since the epoch. */
export function untilOf({ at, limits }: Pick<OperationRecord, "at" | "limits">): number {
  return keptUntil(at, limits?.days);
}

/** How many bytes the files of a run take. */
export async function keptBytes({ files }: System, layout: Layout, runId: string): Promise<number> {
  const below = async (path: string): Promise<number> => {
    const info = await files.lstat(path);
    if (info?.kind !== "directory") return info?.size ?? 0;
    let bytes = 0;
    for (const { name } of await files.list(path)) bytes += await below(join(path, name));
    return bytes;
  };
  return await below(runDirectory(layout, runId));
}

/** The directory in which everything is kept. */
function undoDirectory(layout: Layout): string {
  return join(layout.state, "undo");
}

/** The directory of one run. */
export function runDirectory(layout: Layout, runId: string): string {
  return join(undoDirectory(layout), runId);
}

/** The object store of a repository for a run. */
export function objectStoreOf(layout: Layout, runId: string, repo: string): string {
  return join(runDirectory(layout, runId), `${repo.replaceAll(/[^A-Za-z0-9._-]/g, "_")}.git`);
}

/** Where the commits of a clone are kept that went with its workspace. */
export function packsOf(layout: Layout, runId: string, repo: string): string {
  return join(runDirectory(layout, runId), `${repo.replaceAll(/[^A-Za-z0-9._-]/g, "_")}.packs`);
}

function fileOf(layout: Layout, runId: string): string {
  return join(runDirectory(layout, runId), "operation.json");
}

/** Writes a record: the first one fast, the last one so that it survives a loss of power. */
export async function writeRecord(
  { files }: System,
  layout: Layout,
  record: OperationRecord,
): Promise<void> {
  const text = `${JSON.stringify(record)}\n`;
  const file = fileOf(layout, record.run_id);
  await files.makeDirectory(runDirectory(layout, record.run_id), { mode: 0o700 });
  if (record.ended) await files.write(file, text, { mode: 0o600 });
  else await files.create(file, text, { mode: 0o600, flush: false });
}

/** Reads the record of a run; null where there is none, or none that this program can read. */
export async function readOperation(
  { files }: System,
  layout: Layout,
  runId: string,
): Promise<OperationRecord | null> {
  if (!RUN_ID.test(runId)) return null;
  const text = await files.readText(fileOf(layout, runId));
  if (text === null) return null;
  // One that is no JSON was cut off while it was written, which is before anything was changed.
  const value = jsonIn(text);
  return isObject(value) && value["version"] === VERSION
    ? value as unknown as OperationRecord
    : null;
}

/** Whether a run has no record, or half of one: it was killed before it changed anything. */
export async function isCutOff({ files }: System, layout: Layout, runId: string): Promise<boolean> {
  return !isObject(jsonIn(await files.readText(fileOf(layout, runId)) ?? ""));
}

/** Runs that have a directory, whosever they are. */
export async function recordedRuns({ files }: System, layout: Layout): Promise<string[]> {
  return (await files.list(undoDirectory(layout))).map(({ name }) => name)
    .filter((name) => RUN_ID.test(name));
}

/**
 * The operations in a workspace, newest first. With the control repository also those in there, which concern all of its
 * ecosystems.
 */
export async function operationsOf(
  system: System,
  layout: Layout,
  ...directories: readonly string[]
): Promise<OperationRecord[]> {
  const found: OperationRecord[] = [];
  for (const runId of await recordedRuns(system, layout)) {
    const record = await readOperation(system, layout, runId);
    if (record === null) continue;
    const places = [record, ...record.also ?? []];
    if (places.some(({ workspace }) => directories.includes(workspace))) found.push(record);
  }
  return found.sort((a, b) => b.at - a.at);
}

// What the state of a workspace says of tickets, as undoing brings it back (UNDO-4): everything but what pushes left
// there and when the file was written.

/** The tickets of a workspace; null where it has no state. */
export async function ticketsIn(system: System, workspace: string): Promise<TicketsView | null> {
  const state = await loadState(system, workspace);
  if (state === null) return null;
  const { repos: _repos, last_modified: _modified, ...tickets } = state;
  return tickets;
}

/** The tickets that a run began, ended or changed. */
export function changedTickets({ before, after }: OperationRecord["tickets"]): string[] {
  const was = fieldsOf(before?.["tickets"]);
  const is = fieldsOf(after?.["tickets"]);
  const ids = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return ids.filter((id) => canonicalJson(was[id]) !== canonicalJson(is[id]));
}

/** Whether two views of tickets are the same. */
export function sameTickets(a: TicketsView | null, b: TicketsView | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Writes the tickets of a workspace; what else its state says stays. */
export async function writeTickets(
  system: System,
  workspace: string,
  tickets: TicketsView,
): Promise<void> {
  const state = await loadState(system, workspace);
  if (state === null) return;
  const { repos, last_modified } = state;
  await saveState(system, workspace, { ...tickets, repos, last_modified } as typeof state);
}

// What is kept of a run and for how long (UNDO-6, UNDO-8).

/** Bytes of one MB. */
export const MB = 1024 * 1024;

/** Of files up to 10 MB the contents are kept, up to 500 MB of a repository; of secrets, told by name, never. */
export const BOUNDS: Bounds = {
  fileBytes: 10 * MB,
  allBytes: 500 * MB,
  untracked: true,
  isExcluded: looksSecret,
};
