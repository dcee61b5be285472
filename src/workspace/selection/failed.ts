/** Which repositories an earlier run left behind (SELECT-5). */

import { defined, isObject } from "../../base/object.ts";
import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { RunRecord } from "../../state/store/mod.ts";

type Tools = Pick<CommandContext, "root" | "ecosystem" | "ticket" | "store" | "findRun">;

/** How many runs are looked at for the newest one that tells of single repositories. */
const NEWEST = 50;

/** What the row of a repository says where its part did not go well. */
const BAD = ["failed", "timed_out", "cancelled", "not_started"];

interface Row {
  /** Whose workspace it is about, where the run was about several. */
  readonly ticket?: unknown;
  readonly name?: unknown;
  readonly result?: unknown;
  readonly outcome?: unknown;
  readonly code?: unknown;
}

/** The repositories of a run's result, or null where it tells of none. */
function rowsOf({ result }: RunRecord): readonly Row[] | null {
  const rows = (result as { readonly repos?: unknown } | null)?.repos;
  return Array.isArray(rows) && rows.every(isObject) ? rows as Row[] : null;
}

/** Whether a repository failed or was held back. */
function isBad({ result, outcome, code }: Row): boolean {
  return typeof code === "string" || BAD.includes(String(result ?? outcome));
}

/** The newest ended run of the ecosystem: of those with that name, or of all that tell of single repositories. */
async function newestRun(ctx: Tools, action: string | undefined): Promise<RunRecord> {
  const { root, ecosystem } = ctx;
  const runs = (await ctx.store()).runs.list({
    root,
    ecosystem,
    ...defined({ action }),
    statuses: ["success", "failed", "cancelled"],
    limit: action === undefined ? NEWEST : 1,
  });
  const run = runs.find((each) => action !== undefined || rowsOf(each) !== null);
  if (run !== undefined) return run;
  throw new AmofError(
    "invalid_arguments",
    `Cannot select what failed: no ${
      action?.replaceAll("_", " ") ?? "run with repositories"
    } of "${ecosystem}" has ended yet`,
    { hint: "See what ran: amof runs list", details: { field: "only" } },
  );
}

/**
 * The repositories of the call's workspace that failed or were held back in a run, or without one in the newest that has
 * ended. Throws
 * `run_not_found`, and `invalid_arguments` for a run that does not tell.
 */
export async function failedIn(
  ctx: Tools,
  action: string | undefined,
  id: string,
): Promise<ReadonlySet<string>> {
  const run = id === "" ? await newestRun(ctx, action) : await ctx.findRun(id);
  const rows = run.root === ctx.root && run.ecosystem === ctx.ecosystem ? rowsOf(run) : null;
  if (rows !== null) {
    const here = rows.filter(({ ticket = run.ticket }) => ticket === ctx.ticket);
    return new Set(here.filter(isBad).map(({ name }) => String(name)));
  }
  throw new AmofError(
    "invalid_arguments",
    `Cannot select what failed in run ${run.runId.slice(0, 8)}: ${
      run.ecosystem === ctx.ecosystem
        ? "its record has no result for each repository"
        : `it is none of "${ctx.ecosystem}"`
    }`,
    {
      hint: "See what ran: amof runs list",
      details: { run_id: run.runId, action: run.action, ecosystem: run.ecosystem },
    },
  );
}
