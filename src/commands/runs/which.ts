/**
 * Which run a call means: the one it names, the one the session stands in, or else the one that is going on, or was
 * the last to.
 */

import { AmofError } from "../../base/error.ts";
import { findRun } from "../../runs/mod.ts";
import type { z as Zod } from "zod";
import type { CommandContext, ZodNamespace } from "../../contract/mod.ts";
import { ACTIVE_STATUSES, type RunRecord } from "../../state/store/mod.ts";

/** The argument that names a run. */
export function runIdInput(z: ZodNamespace): Zod.ZodOptional<Zod.ZodString> {
  return z.string().optional().describe(
    "Id; else active or latest",
  );
}

/**
 * Finds the run: the named one, the session's, the active one of the ecosystem, or its latest; with `activeOnly` no
 * run that has ended is guessed. Throws `run_not_found` when there is none.
 */
export async function whichRun(
  ctx: CommandContext,
  id: string | undefined,
  activeOnly = false,
): Promise<RunRecord> {
  const { runs } = await ctx.store();
  const named = id ?? ctx.session.place.runId;
  if (named !== null) return findRun(runs, named);
  const ecosystem = await ctx.ecosystemHere();
  const among = {
    ...(ctx.root === "" ? {} : { root: ctx.root }),
    ...(ecosystem === null ? {} : { ecosystem }),
    limit: 1,
  };
  const [active] = runs.list({ ...among, statuses: ACTIVE_STATUSES });
  const found = active ?? (activeOnly ? undefined : runs.list(among)[0]);
  if (found !== undefined) return found;
  const where = ecosystem === null ? "" : ` of "${ecosystem}"`;
  throw new AmofError(
    "run_not_found",
    activeOnly ? `Cannot find an active run${where}` : `Cannot find a run${where}`,
    { hint: "List them: amof runs list" },
  );
}

/** The place of a run. */
export function runPlace(data: { readonly run_id: string; readonly ecosystem: string }): {
  scope: "run";
  ecosystem: string | null;
  runId: string;
} {
  return {
    scope: "run",
    ecosystem: data.ecosystem === "" ? null : data.ecosystem,
    runId: data.run_id,
  };
}
