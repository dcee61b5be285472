/**
 * Which operation is meant, and whether it can still be undone.
 *
 * @module
 */

import type { CommandContext } from "../contract/mod.ts";
import { AmofError } from "../error.ts";
import { requireWorkspace, scopeManifest } from "../workspace/mod.ts";
import { type OperationRecord, operationsOf, untilOf } from "./record.ts";

/** The run that took an operation back and was not taken back itself, or null. */
export function undoneBy(
  { run_id: runId }: OperationRecord,
  all: readonly OperationRecord[],
): string | null {
  return all.find((other) => other.undoes === runId && other.ended && undoneBy(other, all) === null)
    ?.run_id ?? null;
}

/** Why an operation cannot be undone whatever its repositories hold now; null where it can. */
export function whyNot(
  record: OperationRecord,
  all: readonly OperationRecord[],
  now: number,
): string | null {
  if (!record.ended) return "nobody saw how it ended";
  const by = undoneBy(record, all);
  if (by !== null) return `run ${by.slice(0, 8)} has undone it`;
  return untilOf(record) < now ? "it is too long ago" : null;
}

/** The operations in the workspace of a call, newest first. */
export async function operationsHere(ctx: CommandContext): Promise<OperationRecord[]> {
  const manifest = await scopeManifest(ctx);
  const { directory } = await requireWorkspace(ctx, ctx.root, manifest);
  return await operationsOf(ctx.system, ctx.layout, directory);
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

/** The newest operation that can be undone; throws `operation_not_found`. */
export function newestOf(all: readonly OperationRecord[], now: number): OperationRecord {
  const found = all.find((record) => whyNot(record, all, now) === null);
  if (found !== undefined) return found;
  throw new AmofError(
    "operation_not_found",
    "Cannot undo anything: no run that changed repositories is kept",
  );
}
