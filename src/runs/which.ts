/**
 * Which run a call means: the one it names, or the one the session stands in.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import { findRun } from "../run/mod.ts";
import type { z as Zod } from "zod";
import type { CommandContext, ZodNamespace } from "../spec/mod.ts";
import type { RunRecord } from "../store/mod.ts";

/** The argument that names a run; the session's run counts when it is absent. */
export function runIdInput(z: ZodNamespace): Zod.ZodOptional<Zod.ZodString> {
  return z.string().optional().describe("Id or 4+ characters of it; default: the session's");
}

/** Finds the run; throws `scope_required` when neither the call nor the session names one. */
export async function whichRun(ctx: CommandContext, id: string | undefined): Promise<RunRecord> {
  const wanted = id ?? ctx.session.place.runId;
  if (wanted === null) {
    throw new AmofError("scope_required", "Cannot tell which run is meant: none was named", {
      hint: "Name one by its id or first 4 characters; list them: amof runs list",
    });
  }
  return findRun((await ctx.store()).runs, wanted);
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
