/**
 * Notes the workspace that a run makes, so that the run can be undone (UNDO-9).
 *
 * @module
 */

import { join } from "@std/path";
import type { ExecuteContext, Result, WorkspaceMade } from "../contract/mod.ts";
import { reasonOf } from "../error.ts";
import type { Fields } from "../object.ts";
import { loadManifest, loadRecord, loadState, ticketDirectory } from "../workspace/mod.ts";
import { prune } from "./prune.ts";
import { type OperationRecord, writeRecord } from "./record.ts";
import { offerOf, type UndoOffer, type Watched } from "./views.ts";

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

/** Writes down what was made. What goes wrong here is told in the log, and leaves the run as it ended. */
async function note(
  ctx: ExecuteContext,
  watched: Watched,
  makes: WorkspaceMade,
): Promise<UndoOffer | null> {
  const { runId, system, layout } = ctx;
  if (runId === null) return null;
  try {
    const created_at = await madeAt(ctx, makes.ticket);
    if (created_at === null) return null;
    const { workspaceDir } = await loadManifest(system, ctx.root, ctx.ecosystem);
    const record: OperationRecord = {
      version: 1,
      run_id: runId,
      action: watched.action,
      root: ctx.root,
      ecosystem: ctx.ecosystem,
      ticket: null,
      workspace: join(ctx.root, workspaceDir),
      at: system.clock.now(),
      limits: watched.limits,
      bytes: 0,
      by: ctx.client,
      undoes: null,
      ended: true,
      repos: [],
      tickets: { before: null, after: null },
      made: { ...makes, created_at },
    };
    await writeRecord(system, layout, record);
    await prune(ctx);
    return offerOf(record);
  } catch (error) {
    ctx.report.log("warn", `This run cannot be undone: ${reasonOf(error)}`);
    return null;
  }
}

/** Does the work of a run that makes a workspace, and adds to its answer how it can be undone. */
export async function withMade(
  ctx: ExecuteContext,
  { makes, ...watched }: Watched & { readonly makes: WorkspaceMade },
  work: () => Promise<Result<Fields>>,
): Promise<Result<Fields>> {
  const result = await work();
  const undo = await note(ctx, watched, makes);
  return undo === null ? result : { ...result, data: { ...result.data, undo } };
}
