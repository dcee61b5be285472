/**
 * The steps by which a run is taken back. Each can be repeated and taken back itself after an interruption at any point.
 */

import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { operation } from "../../runs/steps/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { few } from "../../base/text/words.ts";
import {
  BOUNDS,
  type Gone,
  type GoneClone,
  objectStoreOf,
  type OperationRecord,
  packsOf,
  readOperation,
  runDirectory,
  sameTickets,
  ticketsIn,
  writeTickets,
} from "./record.ts";
import { Transfers, withSubmodules } from "../../workspace/clones/changing.ts";
import { Checkpoints } from "../../git/checkpoint/mod.ts";
import { basename, join } from "@std/path";
import { writeDown } from "../ticket/steps/make_workspace.ts";
import { sha } from "../../base/ids.ts";
import { type TicketRepo } from "../../workspace/tickets/mod.ts";
import {
  buildClone,
  mirrorOf,
  placeTaken,
  releaseTicket,
} from "../../workspace/tickets/changing.ts";
import { inPoolOf } from "../../workspace/mod.ts";
import { loadManifest, type Manifest } from "../../workspace/manifest/mod.ts";

/** One repository of an operation; a type alias, so that it counts as plain JSON. */
type OfRun = {
  readonly run: string;
  /** The run of the undo itself, which has looked at the repository before its first step. */
  readonly by: string;
  readonly repo: string;
  readonly directory: string;
};

async function recordOf(ctx: ExecuteContext, run: string): Promise<OperationRecord> {
  const record = await readOperation(ctx.system, ctx.layout, run);
  if (record !== null) return record;
  throw new AmofError(
    "operation_not_found",
    `Cannot find what run "${run.slice(0, 8)}" changed: it is no longer kept`,
    { details: { run_id: run } },
  );
}

/** Brings a repository to how it was before a run, or to how it was after it. */
async function bring(
  ctx: ExecuteContext,
  { run, by, repo, directory }: OfRun,
  end: "before" | "after",
): Promise<void> {
  const record = await recordOf(ctx, run);
  const views = record.repos.find(({ name }) => name === repo);
  const { before, after } = views ?? { before: null, after: null };
  if (before === null || after === null) return;
  // Work that was none of the run's business stays as it was when the undo began.
  const begun = views?.what === "names"
    ? (await recordOf(ctx, by)).repos.find(({ name }) => name === repo)?.before
    : undefined;
  const work = begun === undefined ? {} : { paths: begun.paths, aside: begun.aside };
  const [from, to] = (end === "before" ? [after, before] : [before, after])
    .map((checkpoint) => ({ ...checkpoint, ...work }));
  if (from === undefined || to === undefined) return;
  const objects = objectStoreOf(ctx.layout, run, repo);
  const back = () =>
    ctx.git.at(directory, repo).part(Checkpoints).bring({ from, to, bounds: BOUNDS, objects });
  try {
    // A submodule that a commit took in stays where somebody has put it when only that is taken back.
    const theirs = from.branch !== to.branch
      ? []
      : to.aside.filter(({ why }) => why === "repository").map(({ path }) => path);
    await withSubmodules(ctx, { repo, directory }, back, theirs);
  } catch (error) {
    if (!(error instanceof AmofError) || error.code !== "repo_changed") throw error;
    throw new AmofError("undo_stale", error.message, { details: error.details, cause: error });
  }
}

/**
 * Brings a repository back to how it was after a run, when an undo was cut off. One that somebody has gone on with since
 * is left as it is: nothing of theirs is touched, and what it was is still kept.
 */
async function returnRepo(ctx: ExecuteContext, args: OfRun): Promise<void> {
  try {
    await bring(ctx, args, "after");
  } catch (error) {
    const changed = error instanceof AmofError && error.code === "undo_stale"
      ? error.details["changed"]
      : undefined;
    if (!Array.isArray(changed)) throw error;
    ctx.report.log(
      "warn",
      `${cleanLine(args.repo, 80)}: left as it is, because ${
        few(changed.map((one) => cleanLine(String(one), 80)), 3)
      } changed since the undo was cut off`,
      { type: "undo", payload: { repo: args.repo, changed } },
    );
  }
}

/** Takes back in one repository what a run did there. */
export const bringRepoBack = operation<OfRun>({
  name: "undo_bring_repo_back",
  describe: ({ run, repo }) => `Undo run ${run.slice(0, 8)} in ${cleanLine(repo, 80)}`,
  touches: ({ directory }) => [directory],
  act: (ctx, args) => bring(ctx, args, "before"),
  undo: returnRepo,
});

/** Brings the tickets of a workspace to one end of a run, where they are as the other one has them. */
async function bringTickets(
  ctx: ExecuteContext,
  run: string,
  end: "before" | "after",
): Promise<void> {
  const { workspace, tickets } = await recordOf(ctx, run);
  const now = await ticketsIn(ctx.system, workspace);
  const [from, to] = end === "before"
    ? [tickets.after, tickets.before]
    : [tickets.before, tickets.after];
  if (to === null || sameTickets(now, to)) return;
  if (!sameTickets(now, from)) throw ticketsMoved(run);
  await writeTickets(ctx.system, workspace, to);
}

/** The error of tickets that are no longer as a run left them. */
export function ticketsMoved(run: string): AmofError {
  return new AmofError(
    "undo_stale",
    `Cannot undo run ${run.slice(0, 8)}: the tickets of the workspace changed since`,
    { details: { run_id: run } },
  );
}

/** Takes back what a run did to the tickets that a workspace knows. */
export const bringTicketsBack = operation<{ readonly run: string }>({
  name: "undo_bring_tickets_back",
  describe: ({ run }) => `Undo what run ${run.slice(0, 8)} did to tickets`,
  touches: () => [],
  act: (ctx, { run }) => bringTickets(ctx, run, "before"),
  undo: (ctx, { run }) => bringTickets(ctx, run, "after"),
});

/** Forgets an operation of which nothing is there any more. */
export const forgetOperation = operation<{ readonly run: string }>({
  name: "undo_forget_operation",
  describe: ({ run }) => `Forget what run ${run.slice(0, 8)} made`,
  touches: () => [],
  async act({ system, layout }, { run }) {
    await system.files.removeTree(runDirectory(layout, run));
  },
});

/** The steps of repositories, and of forgetting. */
export const REPO_OPERATIONS = [bringRepoBack, bringTicketsBack, forgetOperation] as const;

// The steps by which the workspace of a ticket is made again: aside, and published by one rename (UNDO-10).

/** The workspace; a type alias, so that it counts as plain JSON. */
type Remaking = {
  /** The run that took it away. */
  readonly run: string;
  /** Where it was, absolute. */
  readonly directory: string;
  /** Where it is made, beside that. */
  readonly building: string;
};

async function goneOf(ctx: ExecuteContext, run: string): Promise<Gone> {
  const gone = (await readOperation(ctx.system, ctx.layout, run))?.gone;
  if (gone !== undefined) return gone;
  throw new AmofError(
    "operation_not_found",
    `Cannot find what run "${run.slice(0, 8)}" took away: it is no longer kept`,
    { details: { run_id: run } },
  );
}

/** What the making of all clones has in common. */
interface Terms extends Remaking, Pick<Gone, "ticket" | "deleted"> {
  readonly manifest: Manifest;
  readonly transfers: Transfers;
}

/** Puts the commits that were kept of a clone into it. No process. */
async function supply(
  ctx: ExecuteContext,
  run: string,
  { name, clone }: { readonly name: string; readonly clone: string },
): Promise<void> {
  const { files } = ctx.system;
  const from = packsOf(ctx.layout, run, name);
  const to = join(clone, ".git", "objects", "pack");
  for (const { name: file } of await files.list(from)) {
    const there = join(to, file);
    if (await files.lstat(there) === null) await files.duplicate(join(from, file), there);
  }
}

/** Brings branches, tags and what is checked out to how they were, in a clone that nobody has seen yet. */
async function bringNames(
  ctx: ExecuteContext,
  { run, building, deleted }: Terms,
  { clone: { name, picture: checkpoint, upstreams }, path }: {
    readonly clone: GoneClone;
    readonly path: string;
  },
): Promise<void> {
  const made = ctx.git.at(join(building, path), name);
  const from = await made.part(Checkpoints).take(BOUNDS);
  // Tags that have come since are nobody's loss.
  const tags = Object.entries(from.refs).filter(([ref]) => ref.startsWith("refs/tags/"));
  const refs = { ...Object.fromEntries(tags), ...checkpoint.refs };
  const to = { ...from, head: checkpoint.head, branch: checkpoint.branch, refs };
  await made.part(Checkpoints).bring({
    from,
    to,
    bounds: BOUNDS,
    objects: objectStoreOf(ctx.layout, run, name),
  });
  // This fails where the parents of the commits are in no repository any more.
  for (const ref of Object.keys(checkpoint.refs).filter((one) => one.startsWith("refs/heads/"))) {
    await made.history.unpushedCount(ref);
  }
  for (const [local, { name: upstream, commit }] of Object.entries(upstreams)) {
    const ref = `refs/remotes/${upstream}`;
    const isDeleted = deleted.some((one) =>
      one.repo === name && `origin/${one.branch}` === upstream
    );
    // The mirror may not have heard of it; what the run itself deleted there is not to look as if it were there.
    if (commit !== null && !isDeleted) await made.refs.create(ref, sha(commit));
    if (await made.refs.resolve(ref) !== null) await made.branches.setUpstream(local, upstream);
  }
}

async function remakeClone(
  ctx: ExecuteContext,
  terms: Terms,
  { clone, there }: { readonly clone: GoneClone; readonly there: TicketRepo },
): Promise<void> {
  const { run, building, directory, ticket, manifest, transfers } = terms;
  const { name, picture: checkpoint, mirror } = clone;
  const repo = manifest.repos.find((entry) => entry.name === name);
  const { head } = checkpoint;
  if (repo === undefined || head === null) throw new TypeError(`"${name}" cannot be made again`);
  const { path, role, base } = there;
  const branch = checkpoint.branch ?? there.branch;
  const start = checkpoint.refs[`refs/heads/${branch}`] ?? head;
  await buildClone(
    ctx,
    {
      directory: building,
      standalone: mirror === null,
      ticket,
      place: directory,
      transfers,
      supply: (clone) => supply(ctx, run, { name, clone }),
    },
    repo,
    { name, path, role, branch, base, mirror: mirrorOf(ctx, repo), start, track: false },
  );
  await bringNames(ctx, terms, { clone, path });
}

/** Makes all clones aside as they were, and what says that they are a ticket. */
export const remakeTicket = operation<Remaking>({
  name: "undo_remake_ticket",
  touches: ({ building }) => [building],
  describe: ({ directory }) => `Make ${basename(directory)} again`,
  async act(ctx, where) {
    const { run, building } = where;
    const { ticket, record, clones, deleted } = await goneOf(ctx, run);
    await ctx.system.files.removeTree(building);
    await ctx.system.files.makeDirectory(join(building, ".amof"));
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const terms = { ...where, ticket, manifest, deleted, transfers: new Transfers(ctx.transfers) };
    await inPoolOf(ctx, "cloning", clones, async (clone) => {
      if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
      const there = record.repos[clone.name];
      if (there !== undefined) await remakeClone(ctx, terms, { clone, there });
    });
    await writeDown(ctx, where, record);
    if (await ctx.system.files.lstat(where.directory) !== null) throw placeTaken(where.directory);
  },
  async undo(ctx, { building, directory }) {
    await ctx.system.files.removeTree(building);
    // A directory that could not be removed keeps what it holds.
    if (await ctx.system.files.lstat(directory) === null) await releaseTicket(ctx, directory);
  },
});
