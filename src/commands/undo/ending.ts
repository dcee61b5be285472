/** Keeps what makes the workspace of a ticket that a run takes away, so that it can be made again (UNDO-10). */

import { join } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import type {
  ClonesAdded,
  CommandContext,
  ExecuteContext,
  Result,
  WorkspaceEnded,
  WorkspaceMade,
} from "../../contract/mod.ts";
import { AmofError, reasonOf } from "../../base/error.ts";
import type { Fields } from "../../base/object.ts";
import {
  findTicketWorkspace,
  loadRecord,
  ticketDirectory,
  type TicketRepo,
} from "../../workspace/tickets/mod.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { loadState, repoDirectory } from "../../workspace/mod.ts";
import { prune } from "./forget.ts";
import {
  type Added,
  begunRecord,
  type GoneClone,
  keptBytes,
  type OperationRecord,
  packsOf,
  runDirectory,
  writeRecord,
} from "./record.ts";
import { offerOf, type UndoOffer, unkept, type Watched } from "./views.ts";
import { type Checkpoint, Checkpoints } from "../../git/checkpoint/mod.ts";

type Ending = Watched & { readonly ends: WorkspaceEnded };

/** Keeps one clone: four processes at most, none of which changes anything in it. */
async function keepClone(
  ctx: ExecuteContext,
  { runId, directory, name, repo }: {
    readonly runId: string;
    /** The workspace of the ticket. */
    readonly directory: string;
    readonly name: string;
    readonly repo: TicketRepo;
  },
): Promise<GoneClone> {
  const { system, layout } = ctx;
  const place = await repoDirectory(system, directory, { name, path: repo.path });
  const clone = ctx.git.at(place, name);
  const checkpoint = await clone.part(Checkpoints).names();
  const remotes = await clone.refs.list(["refs/remotes"]);
  const followed = (await clone.branches.list()).flatMap(({ name: branch, upstream }) => {
    const commit = remotes.get(`refs/remotes/${upstream}`) ?? null;
    return upstream === null ? [] : [[branch, { name: upstream, commit }] as const];
  });
  const tip = remotes.get(`refs/remotes/origin/${repo.base}`);
  const packs = packsOf(layout, runId, name);
  await system.files.makeDirectory(packs, { mode: 0o700 });
  const objects = [
    checkpoint.head,
    ...Object.values(checkpoint.refs),
    ...followed.map(([, { commit }]) => commit),
  ].filter((one) => one !== null);
  await clone.part(Checkpoints).pack(packs, {
    objects: [...new Set(objects)],
    without: tip === undefined ? [] : [tip],
  });
  return {
    name,
    picture: checkpoint,
    upstreams: Object.fromEntries(followed),
    mirror: repo.mirror,
  };
}

/** Keeps all clones of the workspace before it goes; null where it is none. Throws `file_failed` where it cannot be kept. */
async function keep(
  ctx: ExecuteContext,
  { action, limits, ends: { ticket, flags, deleted } }: Ending,
): Promise<OperationRecord | null> {
  const { runId, system, layout } = ctx;
  if (runId === null) return null;
  const manifest = await loadManifest(system, ctx.root, ctx.ecosystem);
  const own = await findTicketWorkspace(system, ctx.root, manifest, ticket);
  if (own === null) return null;
  try {
    const { directory, record: known } = own;
    const clones = await inPool(
      ctx.jobs,
      Object.entries(known.repos),
      ([name, repo]) => keepClone(ctx, { runId, directory, name, repo }),
    );
    const record = begunRecord(ctx, {
      action,
      ticket: null,
      workspace: join(ctx.root, manifest.workspaceDir),
      limits,
      gone: { ticket, flags, deleted, record: known, clones },
    });
    await writeRecord(system, layout, record);
    return record;
  } catch (error) {
    await system.files.removeTree(runDirectory(layout, runId)).catch(() => false);
    throw unkept(error, action);
  }
}

/** Notes that the workspace went, or forgets it where it is still there. What goes wrong here leaves the run as it ended. */
async function settle(
  ctx: ExecuteContext,
  record: OperationRecord,
  ticket: string,
): Promise<UndoOffer | null> {
  const { system, layout } = ctx;
  try {
    const now = await madeAt(ctx, ticket).catch((error: unknown) => {
      if (error instanceof AmofError) return "";
      throw error;
    });
    if (now !== null) {
      await system.files.removeTree(runDirectory(layout, record.run_id));
      return null;
    }
    const bytes = await keptBytes(system, layout, record.run_id);
    await writeRecord(system, layout, { ...record, ended: true, bytes });
    await prune(ctx);
    return offerOf(record);
  } catch (error) {
    ctx.report.log("warn", `This run cannot be undone: ${reasonOf(error)}`);
    return null;
  }
}

/** Does the work of a run that takes the workspace of a ticket away, and adds to its answer how it can be undone. */
export async function withEnded(
  ctx: ExecuteContext,
  ending: Ending,
  work: () => Promise<Result<Fields>>,
): Promise<Result<Fields>> {
  const record = await keep(ctx, ending);
  if (record === null) return await work();
  const { ticket } = ending.ends;
  let result: Result<Fields>;
  try {
    result = await work();
  } catch (error) {
    await settle(ctx, record, ticket);
    throw error;
  }
  const undo = await settle(ctx, record, ticket);
  return undo === null ? result : { ...result, data: { ...result.data, undo } };
}

// Notes the workspace that a run makes, or the clones that it brings into one, so that it can be undone (UNDO-9,
// UNDO-11).

/** When the workspace of a ticket, or the base workspace, was made, as its own record says; null where none is there. */
export async function madeAt(
  { system, root, ecosystem }: Pick<ExecuteContext, "system" | "root" | "ecosystem">,
  ticket: string | null,
): Promise<string | null> {
  const manifest = await loadManifest(system, root, ecosystem);
  const found = ticket === null
    ? await loadState(system, join(root, manifest.workspaceDir))
    : await loadRecord(system, ticketDirectory(root, manifest, ticket));
  return found?.created_at ?? null;
}

/** Writes down what a run made. What goes wrong here is told in the log, and leaves the run as it ended. */
async function note(
  ctx: ExecuteContext,
  watched: Watched,
  madeOf: () => Promise<Pick<OperationRecord, "made" | "added"> | null>,
): Promise<UndoOffer | null> {
  const { runId, system, layout } = ctx;
  if (runId === null) return null;
  try {
    const found = await madeOf();
    if (found === null) return null;
    const { workspaceDir } = await loadManifest(system, ctx.root, ctx.ecosystem);
    const record = begunRecord(ctx, {
      action: watched.action,
      ticket: null,
      workspace: join(ctx.root, workspaceDir),
      limits: watched.limits,
      bytes: 0,
      ended: true,
      ...found,
    });
    await writeRecord(system, layout, record);
    await prune(ctx);
    return offerOf(record);
  } catch (error) {
    ctx.report.log("warn", `This run cannot be undone: ${reasonOf(error)}`);
    return null;
  }
}

/** What counts of a checkpoint: tags come with every fetch. */
function headsOf({ head, branch, refs }: Checkpoint): Pick<Checkpoint, "head" | "branch" | "refs"> {
  const heads = Object.entries(refs).filter(([ref]) => ref.startsWith("refs/heads/"));
  return { head, branch, refs: Object.fromEntries(heads) };
}

/** How a clone stands, by its branches; null where there is none. */
export async function branchesNow(
  ctx: Pick<CommandContext, "git" | "system">,
  workspace: string,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<Added["clones"][number] | null> {
  const clone = ctx.git.at(await repoDirectory(ctx.system, workspace, { name, path }), name);
  if (await clone.gitDirectory() === null) return null;
  return { name, path, picture: headsOf(await clone.part(Checkpoints).names()) };
}

/** The clones that came, as they stand now; null where none has. */
async function addedOf(
  ctx: ExecuteContext,
  { ticket, repos }: ClonesAdded,
): Promise<Pick<OperationRecord, "added"> | null> {
  const created_at = await madeAt(ctx, ticket);
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const directory = ticket === null
    ? join(ctx.root, manifest.workspaceDir)
    : ticketDirectory(ctx.root, manifest, ticket);
  const found = await Promise.all(
    manifest.repos.filter(({ name }) => repos.includes(name))
      .map((repo) => branchesNow(ctx, directory, repo)),
  );
  const clones = found.filter((one) => one !== null);
  return created_at === null || clones.length === 0
    ? null
    : { added: { ticket, directory, created_at, clones } };
}

/** Does the work of a run that brings clones into a workspace, and adds to its answer how it can be undone. */
export async function withAdded(
  ctx: ExecuteContext,
  { adds, ...watched }: Watched & { readonly adds: ClonesAdded },
  work: () => Promise<Result<Fields>>,
): Promise<Result<Fields>> {
  const result = await work();
  const undo = await note(ctx, watched, () => addedOf(ctx, adds));
  return undo === null ? result : { ...result, data: { ...result.data, undo } };
}

/** Does the work of a run that makes a workspace, and adds to its answer how it can be undone. */
export async function withMade(
  ctx: ExecuteContext,
  { makes, ...watched }: Watched & { readonly makes: WorkspaceMade },
  work: () => Promise<Result<Fields>>,
): Promise<Result<Fields>> {
  const result = await work();
  const undo = await note(ctx, watched, async () => {
    const created_at = await madeAt(ctx, makes.ticket);
    return created_at === null ? null : { made: { ...makes, created_at } };
  });
  return undo === null ? result : { ...result, data: { ...result.data, undo } };
}
