/**
 * Agents at work in the workspace of a ticket: nobody takes it away from under them.
 *
 * @module
 */

import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../error.ts";

/** How runs of `amof agent run` are called. */
const AGENT = "agent";

/**
 * Throws `ecosystem_busy` while a program that `amof agent run` started works in a ticket. Such a run holds no lock, for
 * what it starts calls amof there (BOX-9).
 */
export async function refuseAtWork(ctx: CommandContext, id: string, what: string): Promise<void> {
  const { runs } = await ctx.store();
  const [run] = runs.list({
    root: ctx.root,
    ecosystem: ctx.ecosystem,
    ticket: id,
    action: AGENT,
    statuses: ["queued", "running", "paused"],
    limit: 1,
  });
  if (run === undefined) return;
  const short = run.runId.slice(0, 8);
  throw new AmofError("ecosystem_busy", `Cannot ${what}: a program works there as run ${short}`, {
    hint: `Wait for it, or end it: amof runs cancel ${short}`,
    details: { run_id: run.runId, action: run.action, status: run.status, ticket: id },
  });
}
