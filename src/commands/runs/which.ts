/**
 * Which run a call means: the one it names, the one the session stands in, or else the one that is going on, or was
 * the last to.
 */

import { AmofError } from "../../base/error.ts";
import type { z as Zod } from "zod";
import type { CommandContext, ZodNamespace } from "../../contract/mod.ts";
import { ACTIVE_STATUSES, type RunRecord } from "../../state/store/mod.ts";

/** The shortest beginning of an id that is accepted. */
export const SHORTEST_PREFIX = 4;

/**
 * The run with this id, or the only one whose id begins so.
 *
 * Throws `invalid_arguments` for text that cannot be an id, `run_not_found` when no run or more than one matches.
 */
export function findRun(runs: { byPrefix(prefix: string): RunRecord[] }, id: string): RunRecord {
  const prefix = id.toLowerCase();
  if (!/^[0-9a-f-]{4,36}$/.test(prefix)) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot look up run "${
        id.slice(0, 60)
      }": an id is a UUID or at least its first ${SHORTEST_PREFIX} characters`,
      {
        hint: "List the runs: amof runs list",
        details: { run_id: id.slice(0, 60) },
      },
    );
  }
  const [run, second] = runs.byPrefix(prefix);
  if (run === undefined || second !== undefined) {
    throw new AmofError(
      "run_not_found",
      run === undefined
        ? `Cannot find run "${id}"`
        : `Cannot tell which run "${id}" means: several begin so`,
      { hint: "List the runs: amof runs list", details: { run_id: id } },
    );
  }
  return run;
}

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
  const ecosystem = await ctx.impliedEcosystem();
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
