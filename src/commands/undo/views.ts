/** Looks at repositories before and after a run, so that the run can be undone (UNDO-1). */

import { inPool } from "../../base/async/pool.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError, reasonOf } from "../../base/error.ts";
import { ioErrorFacts } from "../../base/io_error.ts";
import {
  type Checkpoint,
  Checkpoints,
  differingRefs,
  differingWork,
  type Keeping,
  sameCheckout,
  sameCheckpoint,
} from "../../git/checkpoint/mod.ts";
import { repoDirectory, requireWorkspace, whyOf } from "../../workspace/mod.ts";
import type { UndoLimits } from "../../workspace/changing.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";
import {
  begunRecord,
  BOUNDS,
  objectStoreOf,
  type OperationRecord,
  type RepoViews,
  runDirectory,
  sameTickets,
  ticketsIn,
  writeRecord,
} from "./record.ts";
import { finish, type Settle, type UndoOffer } from "./forget.ts";
import { type Ended, publishes } from "./plan.ts";

/** What is to be looked at. */
export interface Watched {
  /** What the run is called. */
  readonly action: string;
  /** Repositories by name. */
  readonly repos: readonly string[];
  readonly what: RepoViews["what"];
  /** Whether branches only move forward. */
  readonly forwards: boolean;
  readonly limits: UndoLimits;
  /** The run that is taken back, or null. */
  readonly undoes: string | null;
  /** What undoing it does not bring back, or null. */
  readonly lasts?: string | null;
}

interface Place {
  readonly name: string;
  readonly directory: string;
}

async function placesOf(
  ctx: ExecuteContext,
  names: readonly string[],
): Promise<{ workspace: string; places: Place[] }> {
  const manifest = await scopeManifest(ctx);
  const { directory: workspace } = await requireWorkspace(ctx, ctx.root, manifest);
  const places: Place[] = [];
  for (const repo of manifest.repos) {
    if (!names.includes(repo.name)) continue;
    const directory = await repoDirectory(ctx.system, workspace, repo);
    if (await ctx.git.at(directory).gitDirectory() === null) continue;
    places.push({ name: repo.name, directory });
  }
  return { workspace, places };
}

/**
 * Commits that a run has dropped or left behind: nothing of the repository names them any more. Where it only moved
 * branches forward, those that are still there have them.
 */
function dropped(before: Checkpoint, after: Checkpoint, forwards: boolean): string[] {
  const named = new Set([
    after.head,
    ...Object.values(after.refs),
    ...after.stashes.map(({ commit }) => commit),
  ]);
  const commits = [
    ...differingRefs(before, after).filter((name) => !forwards || after.refs[name] === undefined)
      .map((name) => before.refs[name]),
    ...before.head === after.head || forwards ? [] : [before.head],
    ...before.stashes.map(({ commit }) => commit),
  ].filter((commit): commit is string => typeof commit === "string" && !named.has(commit));
  return [...new Set(commits)];
}

/** A checkpoint with those of its names only that another one has elsewhere. */
function trimmed(checkpoint: Checkpoint, other: Checkpoint): Checkpoint {
  const names = differingRefs(checkpoint, other);
  const refs = Object.fromEntries(
    names.flatMap((name) => {
      const at = checkpoint.refs[name];
      return at === undefined ? [] : [[name, at]];
    }),
  );
  // Where nothing was checked out or written, what is uncommitted is nobody's business.
  const same = sameCheckout(checkpoint, other);
  return { ...checkpoint, refs, ...(same ? { paths: [], aside: [] } : {}) };
}

/** What is kept of repositories while a run changes them. */
interface Watching {
  readonly keeping: ReadonlyMap<string, Keeping>;
  readonly forwards: boolean;
}

/**
 * Looks at repositories before a run changes them; null where it changes none that is there. Throws `file_failed` where
 * what is there cannot be kept: the run must not begin then. One git process for each repository where everything is
 * looked at, one more where something is uncommitted; none where only names are.
 */
export async function lookBefore(ctx: ExecuteContext, watched: Watched): Promise<Settle | null> {
  const { runId, system, layout } = ctx;
  if (runId === null) return null;
  try {
    const { workspace, places } = await placesOf(ctx, watched.repos);
    // A ticket may end where no repository changes.
    if (places.length === 0 && watched.repos.length > 0) return null;
    const keeping = new Map<string, Keeping>();
    const { what, forwards } = watched;
    const seen = await look(
      ctx,
      places,
      (place, checkpoints) =>
        unlessUnread(ctx, place, async (): Promise<RepoViews> => {
          if (what === "names") {
            return { ...place, what, before: await checkpoints.names(), after: null };
          }
          const kept = checkpoints.store(objectStoreOf(layout, runId, place.name));
          keeping.set(place.name, kept);
          return { ...place, what, before: await checkpoints.take(BOUNDS, kept), after: null };
        }),
    );
    const record = begunRecord(ctx, {
      action: watched.action,
      ticket: ctx.ticket,
      workspace,
      limits: watched.limits,
      undoes: watched.undoes,
      ...(watched.lasts ? { lasts: watched.lasts } : {}),
      repos: seen.filter((one) => one !== null),
      tickets: { before: await ticketsIn(system, workspace), after: null },
    });
    await writeRecord(system, layout, record);
    return () => lookAfter(ctx, record, { keeping, forwards });
  } catch (error) {
    await system.files.removeTree(runDirectory(layout, runId)).catch(() => false);
    throw unkept(error, watched.action);
  }
}

/**
 * Looks again after the run, however it ended, and keeps what it changed; answers how it can be undone, or null where
 * nothing changed.
 */
async function lookAfter(
  begun: ExecuteContext,
  record: OperationRecord,
  { keeping, forwards }: Watching,
): Promise<UndoOffer | null> {
  // The repositories are looked at after an interruption as well.
  const ctx = { ...begun, git: begun.git.until() };
  const { system, layout } = ctx;
  const { run_id: runId } = record;
  const seen = await look(ctx, record.repos, async (repo, checkpoints): Promise<RepoViews> => {
    if (repo.what === "names") return { ...repo, after: await checkpoints.names() };
    return { ...repo, after: await checkpoints.take(BOUNDS, keeping.get(repo.name) ?? null) };
  });
  const tickets = { ...record.tickets, after: await ticketsIn(system, record.workspace) };
  const repos = seen.flatMap((repo) =>
    repo.after === null || sameCheckpoint(repo.before, repo.after)
      ? []
      : [{ ...repo, after: repo.after }]
  );
  if (repos.length === 0 && sameTickets(tickets.before, tickets.after)) {
    await system.files.removeTree(runDirectory(layout, runId));
    return null;
  }
  const arrived = await allArrived(ctx, record.action, repos);
  const files = new Set<string>();
  for (const { name, directory, before, after } of repos) {
    const checkpoints = ctx.git.at(directory, name).part(Checkpoints);
    await checkpoints.pin(runId, dropped(before, after, forwards));
    const changed = differingWork(before, after).length > 0 || before.head !== after.head;
    if (changed && !arrived) files.add(name);
  }
  for (const { name } of seen) {
    if (!files.has(name)) await system.files.removeTree(objectStoreOf(layout, runId, name));
  }
  const offer = await finish(ctx, {
    ...record,
    ...arrived ? { stays: ARRIVED } : {},
    repos: repos.map(({ before, after, ...repo }) => ({
      ...repo,
      before: trimmed(before, after),
      after: trimmed(after, before),
    })),
    tickets,
  });
  return arrived ? null : offer;
}

/** What a run leaves that has sent all that it committed. */
const ARRIVED = "what is pushed";

/** Whether all that a run has changed are commits which their remotes have now, so that it cannot be undone. No process. */
async function allArrived(
  { git }: Pick<ExecuteContext, "git">,
  action: string,
  repos: readonly Ended[],
): Promise<boolean> {
  if (!publishes(action) || repos.length === 0) return false;
  const arrived = await Promise.all(repos.map(async ({ name, directory, before, after }) => {
    if (after.branch === null || after.head === before.head) return false;
    const ref = `refs/remotes/origin/${after.branch}`;
    return (await git.at(directory, name).refs.peek([ref])).get(ref) === after.head;
  }));
  return arrived.every(Boolean);
}

/** What a failure to keep what a run would change is told as; a failure of another kind as it is. */
export function unkept(error: unknown, action: string): unknown {
  if (error instanceof TypeError || error instanceof AmofError && !isUnkept(error)) return error;
  const kind = error instanceof AmofError ? error.details["kind"] : ioErrorFacts(error)?.kind;
  return new AmofError(
    "file_failed",
    `Cannot begin ${action}: what it would change could not be kept for undo: ${reasonOf(error)}`,
    {
      hint: kind === "disk_full"
        ? "Make room on the disk, then repeat"
        : "Mend that, or set AMOF_UNDO=off for this call, which then cannot be undone",
      cause: error,
    },
  );
}

/** Whether a failure is one of keeping, which the run was never asked for. */
function isUnkept(error: AmofError): boolean {
  return error.code === "file_failed" || error.details["kind"] === "disk_full" ||
    error.details["kind"] === "read_only";
}

/** Kinds of failures after which git does nothing in a repository for anybody, this program included. */
const UNREAD: ReadonlySet<unknown> = new Set(["not_a_repo", "unsafe_owner"]);

/** A look; null, with a warning, where git does not read the repository: the others are none the worse for it. */
async function unlessUnread<T>(
  { report }: Pick<ExecuteContext, "report">,
  { name }: Place,
  take: () => Promise<T>,
): Promise<T | null> {
  try {
    return await take();
  } catch (error) {
    if (!(error instanceof AmofError) || !UNREAD.has(error.details["kind"])) throw error;
    report.log("warn", `${name}: nothing there can be undone, because ${whyOf(error)}`);
    return null;
  }
}

/** Looks at repositories, several at once. */
function look<P extends Place, T>(
  ctx: ExecuteContext,
  places: readonly P[],
  each: (place: P, checkpoints: Checkpoints) => Promise<T>,
): Promise<T[]> {
  return ctx.git.keeping(() =>
    inPool(
      ctx.jobs,
      places,
      (place) => each(place, ctx.git.at(place.directory, place.name).part(Checkpoints)),
    )
  );
}
