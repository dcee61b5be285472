/**
 * Notes runs that undo cannot take back, so that none stands before them in silence: whoever asks for the newest run to
 * be undone is told of them first (UNDO-12).
 */

import { join } from "@std/path";
import type { ExecuteContext, Result } from "../../contract/mod.ts";
import type { Fields } from "../../base/object.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { ticketDirectory } from "../../workspace/tickets/mod.ts";
import type { UndoLimits } from "../../workspace/changing.ts";
import { prune } from "./forget.ts";
import {
  begunRecord,
  keptBytes,
  type OperationRecord,
  readOperation,
  runDirectory,
  writeRecord,
} from "./record.ts";

/** A run that undo cannot take back. */
interface Barred {
  /** What the run is called. */
  readonly action: string;
  /** What stays, with what to do instead behind a semicolon, as its command declares it. */
  readonly stays: string;
  /** Tickets whose own workspaces it works on besides the one it is called in. */
  readonly tickets: readonly string[];
  readonly limits: UndoLimits;
}

/**
 * The record of the run while it goes on; one without an ecosystem is of the control repository. Throws where the
 * manifest cannot be read.
 */
async function begun(
  ctx: ExecuteContext,
  { action, stays, tickets, limits }: Barred,
): Promise<OperationRecord> {
  const { root, ticket } = ctx;
  const known = { action, limits, bytes: 0, stays };
  if (ctx.ecosystem === "") return begunRecord(ctx, { ...known, ticket: null, workspace: root });
  const manifest = await loadManifest(ctx.system, root, ctx.ecosystem);
  const own = (id: string) => ticketDirectory(root, manifest, id);
  return begunRecord(ctx, {
    ...known,
    ticket,
    workspace: ticket === null ? join(root, manifest.workspaceDir) : own(ticket),
    also: tickets.filter((id) => id !== ticket).map((id) => ({ ticket: id, workspace: own(id) })),
  });
}

/** What cannot be written here takes nothing from the run: what undo finds changed it leaves alone in any case. */
async function quietly<T>(note: () => Promise<T>): Promise<T | null> {
  try {
    return await note();
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return null;
  }
}

/** Does the work of a run that undo cannot take back, and leaves a note of it; none where it throws, for nothing stays. */
export async function withBar(
  ctx: ExecuteContext,
  barred: Barred,
  work: () => Promise<Result<Fields>>,
): Promise<Result<Fields>> {
  const { system, layout, runId } = ctx;
  if (runId === null) return await work();
  const noted = await quietly(async () => {
    const record = await begun(ctx, barred);
    await writeRecord(system, layout, record);
    return record;
  });
  if (noted === null) return await work();
  let result: Result<Fields>;
  try {
    result = await work();
  } catch (error) {
    await quietly(() => system.files.removeTree(runDirectory(layout, runId)));
    throw error;
  }
  await quietly(async () => {
    await writeRecord(system, layout, { ...noted, ended: true });
    await prune(ctx);
  });
  return result;
}

/**
 * Says of a run that was killed, and was settled since, what became of it: what was finished stands, what was taken back
 * leaves nothing here. That is known of runs that undo cannot take back, and of the end of a ticket's workspace, of which
 * everything was kept before it began; other runs are left as they are.
 */
export async function settleKilled(
  { system, layout }: Pick<ExecuteContext, "system" | "layout">,
  runId: string,
  outcome: "finished" | "undone" | "tidied up",
): Promise<void> {
  const record = await readOperation(system, layout, runId);
  if (record === null || record.ended || outcome === "tidied up") return;
  if (record.stays === undefined && record.gone === undefined) return;
  await quietly(async () => {
    if (outcome === "finished") {
      const bytes = await keptBytes(system, layout, runId);
      await writeRecord(system, layout, { ...record, ended: true, bytes });
    } else await system.files.removeTree(runDirectory(layout, runId));
  });
}
