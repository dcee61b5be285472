/** Which operation is meant, and whether it can still be undone. */

import { join } from "@std/path";
import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { differingRefs } from "../../git/checkpoint/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { requireWorkspace } from "../../workspace/mod.ts";
import { scopeManifest, ticketWorkspaces } from "../../workspace/tickets/mod.ts";
import {
  changedTickets,
  type OperationRecord,
  operationsOf,
  type RepoViews,
  untilOf,
} from "./record.ts";

/** What a run did, in the words of its command: `ticket_start` is `ticket start`. */
export function commandWords(action: string): string {
  return action.replaceAll("_", " ");
}

/** What taking back an undo comes to: what it had taken back is done again, or undone after all. */
export interface Redo {
  /** `ticket end T-1`, or `commit` of a run that is about no ticket. */
  readonly what: string;
  readonly again: boolean;
}

/** What undoing an undo comes to; null for any other run, and for one that took back what is no longer kept. */
export function redoOf(record: OperationRecord, all: readonly OperationRecord[]): Redo | null {
  const { undoes } = record;
  const taken = undoes === null ? undefined : all.find(({ run_id: id }) => id === undoes);
  if (taken === undefined) return null;
  const deeper = redoOf(taken, all);
  if (deeper !== null) return { ...deeper, again: !deeper.again };
  if (taken.undoes !== null) return null;
  const [id, ...more] = changedTickets(taken.tickets);
  const of = id === undefined || more.length > 0 ? "" : ` ${cleanLine(id, 60)}`;
  return { what: `${commandWords(taken.action)}${of}`, again: true };
}

/** What a run did, in words: `undo ticket end T-1` and `ticket end T-1 again` of those that took others back. */
export function saidOf(record: OperationRecord, all: readonly OperationRecord[]): string {
  const deed = redoOf(record, all);
  if (deed === null) return commandWords(record.action);
  return deed.again ? `undo ${deed.what}` : `${deed.what} again`;
}

/** The run that took an operation back in a repository and was not taken back there itself, or null. */
export function undoneIn(
  { run_id: runId }: OperationRecord,
  at: Pick<RepoViews, "directory">,
  all: readonly OperationRecord[],
): string | null {
  return all.find((other) =>
    other.undoes === runId && other.ended &&
    other.repos.some(({ directory }) => directory === at.directory) &&
    undoneIn(other, at, all) === null
  )?.run_id ?? null;
}

/** The repositories in which an operation still stands: an undo takes back those alone that were selected. */
export function restOf(
  record: OperationRecord,
  all: readonly OperationRecord[],
): readonly RepoViews[] {
  return record.repos.filter((repo) => undoneIn(record, repo, all) === null);
}

/** The run that took back all that was left of an operation and was not taken back itself, or null. */
export function undoneBy(
  record: OperationRecord,
  all: readonly OperationRecord[],
): string | null {
  if (restOf(record, all).length > 0) return null;
  return all.find((other) =>
    other.undoes === record.run_id && other.ended && undoneBy(other, all) === null
  )?.run_id ?? null;
}

/** Why an operation cannot be undone whatever its repositories hold now; null where it can. */
export function whyNot(
  record: OperationRecord,
  all: readonly OperationRecord[],
  now: number,
): string | null {
  if (!record.ended) return "nobody saw how it ended";
  if (record.stays !== undefined) return barOf(record.stays).why;
  const by = undoneBy(record, all);
  if (by !== null) return `run ${by.slice(0, 8)} has undone it`;
  return untilOf(record) < now ? "it is too long ago" : null;
}

/**
 * The later run that left every repository of an operation otherwise, as far as records tell, so that undoing it would be
 * refused in each; null where there is none. What people have done since is not among that.
 */
export function overtakenBy(
  record: OperationRecord,
  all: readonly OperationRecord[],
): OperationRecord | null {
  const later = all.slice(0, all.findIndex(({ run_id: runId }) => runId === record.run_id));
  const found = restOf(record, all).map(({ directory, before, after }) => {
    const seen = later.flatMap((run) => {
      const views = run.repos.find((one) => one.directory === directory);
      return views === undefined || views.after === null
        ? []
        : [{ run, refs: { ...views.before.refs, ...views.after.refs }, now: views.after }];
    });
    const [last] = seen;
    if (last === undefined || after === null) return null;
    if (last.now.head !== after.head || last.now.branch !== after.branch) return last.run;
    // A record has only the names that its run moved, made or deleted.
    const movers = differingRefs(before, after).flatMap((name) => {
      const mover = seen.find(({ refs }) => Object.hasOwn(refs, name));
      return mover !== undefined && mover.now.refs[name] !== after.refs[name] ? [mover.run] : [];
    });
    return movers[0] ?? null;
  });
  return found.every((run) => run !== null) ? found[0] ?? null : null;
}

/** The error of a workspace that is not there, which names the run that took it away where that is known. */
async function namingWhatTook(
  { system, layout, root }: CommandContext,
  { workspaceDir }: Manifest,
  { code, message, hint, details }: AmofError,
): Promise<AmofError> {
  const [newest] = code === "workspace_not_installed"
    ? await operationsOf(system, layout, join(root, workspaceDir))
    : [];
  if (newest?.stays === undefined || !newest.ended) {
    return new AmofError(code, message, { hint, details });
  }
  const { why } = barOf(newest.stays);
  return new AmofError(code, `${message}; ${why} (${namedRun(newest)})`, { hint, details });
}

/** The operations in the workspace of a call, newest first; in the base workspace also those in the control repository. */
export async function operationsHere(ctx: CommandContext): Promise<OperationRecord[]> {
  const manifest = await scopeManifest(ctx);
  const control = ctx.ticket === null ? [ctx.root] : [];
  try {
    const { directory } = await requireWorkspace(ctx, ctx.root, manifest);
    return await operationsOf(ctx.system, ctx.layout, directory, ...control);
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    // A release needs no workspace.
    const made = error.code === "workspace_not_installed"
      ? await operationsOf(ctx.system, ctx.layout, ctx.root)
      : [];
    if (made.length === 0) throw await namingWhatTook(ctx, manifest, error);
    return made;
  }
}

/** The operation of a run by its id or the beginning of one; throws `operation_not_found`. */
export function operationOf(all: readonly OperationRecord[], id: string): OperationRecord {
  const found = id.length < 4 ? [] : all.filter((record) => record.run_id.startsWith(id));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new AmofError(
    "operation_not_found",
    found.length > 1
      ? `Cannot tell which run "${id}" is: several begin so`
      : `Cannot find what run "${id}" changed: nothing in this workspace, or it is no longer kept`,
    { details: { run_id: id } },
  );
}

/** What a note of a run that undo cannot take back says: why not, and what to do instead, or null. */
export function barOf(stays: string): { readonly why: string; readonly instead: string | null } {
  const [what = "", ...rest] = stays.split("; ");
  const instead = rest.join("; ");
  return {
    why: what === "this" ? "there is no undo for it" : `undo cannot take back ${what}`,
    instead: instead === "" ? null : instead.charAt(0).toUpperCase() + instead.slice(1),
  };
}

/** A run as it is named to people: `ticket move 4e8c1d72`. */
export function namedRun(
  { action, run_id: runId }: Pick<OperationRecord, "action" | "run_id">,
): string {
  return `${commandWords(action)} ${runId.slice(0, 8)}`;
}

/** The error of a newest run that cannot be undone: with what to do instead, and with the run that could be undone. */
export function newestStays(
  newest: OperationRecord,
  why: string,
  older: OperationRecord | undefined,
): AmofError {
  const { instead } = barOf(newest.stays ?? "");
  const short = newest.run_id.slice(0, 8);
  const ways = [
    instead ??
      `See what it did: amof ${newest.stays === undefined ? "operations" : "runs status"} ${short}`,
    // Nobody who wants something else back is offered to take a whole workspace away.
    ...(older === undefined ? [] : [
      older.made !== undefined
        ? "See what can be undone: amof operations"
        : `Undo the newest that can be undone, ${commandWords(older.action)}: amof undo ${
          older.run_id.slice(0, 8)
        }`,
    ]),
  ];
  return new AmofError(
    "undo_impossible",
    `Cannot undo the newest run, ${namedRun(newest)}: ${why}`,
    {
      hint: ways,
      details: { run_id: newest.run_id, action: newest.action, older: older?.run_id ?? null },
    },
  );
}

/**
 * Whether an operation counts as what was done last. One that was killed does not by itself: what it had begun may have
 * been taken back since. Only what its command alone knows of counts as done, but for an undo, which can be repeated.
 */
function stands(record: OperationRecord, all: readonly OperationRecord[]): boolean {
  const { ended, stays, action } = record;
  return undoneBy(record, all) === null && (ended || stays !== undefined && action !== "undo");
}

/** The newest run that can be undone; `goes` looks whether one can that records let go back. */
export async function newestThatGoes(
  all: readonly OperationRecord[],
  now: number,
  goes: (record: OperationRecord) => Promise<boolean>,
): Promise<OperationRecord | undefined> {
  for (const record of all) {
    const known = whyNot(record, all, now) ?? overtakenBy(record, all);
    if (known === null && await goes(record)) return record;
  }
  return undefined;
}

/**
 * The newest operation; throws `operation_not_found` where none is kept, and `undo_impossible` for one that cannot be
 * undone: an older one has to be named, which is the newest that goes.
 */
export async function newestOf(
  all: readonly OperationRecord[],
  now: number,
  goes: (record: OperationRecord) => Promise<boolean>,
): Promise<OperationRecord> {
  const newest = all.find((record) => stands(record, all));
  if (newest === undefined) {
    throw new AmofError(
      "operation_not_found",
      "Cannot undo anything: no run that changed repositories is kept",
    );
  }
  const why = whyNot(newest, all, now);
  if (why === null) return newest;
  throw newestStays(newest, why, await newestThatGoes(all, now, goes));
}

/** What came last in the workspace of a ticket, after all that is known of the base workspace. */
interface Beside {
  readonly ticket: string;
  readonly run_id: string;
  readonly action: string;
}

/** The newest run that stands in the workspace of some ticket, where it came after all of the base workspace; else null. */
export async function newestBeside(ctx: CommandContext): Promise<Beside | null> {
  if (ctx.ticket !== null) return null;
  const manifest = await scopeManifest(ctx);
  const last = (await operationsHere(ctx))[0]?.at ?? 0;
  const found = [];
  for (const { id, directory } of await ticketWorkspaces(ctx.system, ctx.root, manifest)) {
    const all = await operationsOf(ctx.system, ctx.layout, directory);
    const newest = all.find((record) => stands(record, all));
    if (newest !== undefined && newest.at > last) found.push({ ...newest, ticket: id });
  }
  const [first] = found.sort((a, b) => b.at - a.at);
  return first === undefined
    ? null
    : { ticket: first.ticket, run_id: first.run_id, action: first.action };
}

/** Runs that came after one and still stand, the newest first: nobody has undone them. */
export function newerThan(
  { run_id: runId }: OperationRecord,
  all: readonly OperationRecord[],
): OperationRecord[] {
  const newer = all.slice(0, all.findIndex((record) => record.run_id === runId));
  return newer.filter((record) =>
    undoneBy(record, all) === null && !newer.some((other) => other.run_id === record.undoes)
  );
}
