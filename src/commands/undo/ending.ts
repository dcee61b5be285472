/** Keeps what makes the workspace of a ticket that a run takes away, so that it can be made again (UNDO-10). */

import { join } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import type {
  ClonesAdded,
  CommandContext,
  ExecuteContext,
  WorkspaceEnded,
  WorkspaceMade,
} from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import {
  findTicketWorkspace,
  loadRecord,
  ticketDirectory,
  type TicketRepo,
} from "../../workspace/tickets/mod.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { loadState, repoDirectory } from "../../workspace/mod.ts";
import { finish, type Settle, type UndoOffer } from "./forget.ts";
import {
  type Added,
  begunRecord,
  type GoneClone,
  type OperationRecord,
  packsOf,
  runDirectory,
  writeRecord,
} from "./record.ts";
import { unkept, type Watched } from "./views.ts";
import { type Checkpoint, Checkpoints } from "../../git/checkpoint/mod.ts";

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

/**
 * Keeps all clones of the workspace of a ticket before it goes; null where it has none. Throws `file_failed` where it
 * cannot be kept.
 */
export async function keepEnded(
  ctx: ExecuteContext,
  { action, limits }: Watched,
  { ticket, flags, deleted }: WorkspaceEnded,
): Promise<Settle | null> {
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
    return async (data) => {
      const offer = await settle(ctx, record, ticket);
      return data === null ? null : offer;
    };
  } catch (error) {
    await system.files.removeTree(runDirectory(layout, runId)).catch(() => false);
    throw unkept(error, action);
  }
}

/** Notes that the workspace went, or forgets it where it is still there. */
async function settle(
  ctx: ExecuteContext,
  record: OperationRecord,
  ticket: string,
): Promise<UndoOffer | null> {
  const now = await madeAt(ctx, ticket).catch((error: unknown) => {
    if (error instanceof AmofError) return "";
    throw error;
  });
  if (now === null) return await finish(ctx, record);
  await ctx.system.files.removeTree(runDirectory(ctx.layout, record.run_id));
  return null;
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

/** Writes down what a run made, once it has. */
function note(
  ctx: ExecuteContext,
  { action, limits }: Watched,
  madeOf: () => Promise<Pick<OperationRecord, "made" | "added"> | null>,
): Settle {
  return async (data) => {
    const found = data === null || ctx.runId === null ? null : await madeOf();
    if (found === null) return null;
    const { workspaceDir } = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const workspace = join(ctx.root, workspaceDir);
    return await finish(
      ctx,
      begunRecord(ctx, { action, ticket: null, workspace, limits, ...found }),
    );
  };
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

/** Notes the clones that a run brings into a workspace, as they stand when it has. */
export function noteAdded(
  ctx: ExecuteContext,
  watched: Watched,
  { ticket, repos }: ClonesAdded,
): Settle {
  return note(ctx, watched, async () => {
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
  });
}

/** Notes the workspace that a run makes. */
export function noteMade(ctx: ExecuteContext, watched: Watched, makes: WorkspaceMade): Settle {
  return note(ctx, watched, async () => {
    const created_at = await madeAt(ctx, makes.ticket);
    return created_at === null ? null : { made: { ...makes, created_at } };
  });
}
