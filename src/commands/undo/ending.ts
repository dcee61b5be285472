/** Keeps what makes the workspace of a ticket that a run takes away, so that it can be made again (UNDO-10). */

import { join } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import type { ExecuteContext, Result, WorkspaceEnded } from "../../contract/mod.ts";
import { AmofError, reasonOf } from "../../base/error.ts";
import type { Fields } from "../../base/object.ts";
import { findTicketWorkspace, type TicketRepo } from "../../workspace/tickets/mod.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { repoDirectory } from "../../workspace/mod.ts";
import { madeAt } from "./making.ts";
import { prune } from "./forget.ts";
import {
  begunRecord,
  type GoneClone,
  keptBytes,
  type OperationRecord,
  packsOf,
  runDirectory,
  writeRecord,
} from "./record.ts";
import { offerOf, type UndoOffer, unkept, type Watched } from "./views.ts";
import { Checkpoints } from "../../git/checkpoint/mod.ts";

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
  { action, limits, ends: { ticket, deleted } }: Ending,
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
      gone: { ticket, deleted, record: known, clones },
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
