/** Agents at work in the workspace of a ticket: nobody takes it away from under them. */

import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { RunRecord } from "../../state/store/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import { PendingAgent } from "./pending_agent.ts";

/** How runs of `amof agent run` are called. */
const AGENT = "agent";

/** The run of a program that `amof agent run` started in a ticket and that goes on; null where none does. */
export async function runAtWork(
  ctx: Pick<CommandContext, "store" | "root" | "ecosystem">,
  id: string,
): Promise<RunRecord | null> {
  const { runs } = await ctx.store();
  const [run] = runs.list({
    root: ctx.root,
    ecosystem: ctx.ecosystem,
    ticket: id,
    action: AGENT,
    statuses: ["queued", "running", "paused"],
    limit: 1,
  });
  return run ?? null;
}

/**
 * Throws `ecosystem_busy` while a program that `amof agent run` started works in a ticket. Such a run holds no lock, for
 * what it starts calls amof there (BOX-9).
 */
export async function refuseAtWork(ctx: CommandContext, id: string, what: string): Promise<void> {
  const run = await runAtWork(ctx, id);
  if (run === null) return await refuseAway(ctx, id, what);
  const short = run.runId.slice(0, 8);
  throw new AmofError("ecosystem_busy", `Cannot ${what}: a program works there as run ${short}`, {
    hint: `Wait for it\nEnd it: amof runs cancel ${short}`,
    details: { run_id: run.runId, action: run.action, status: run.status, ticket: id },
  });
}

/** The same while what such a program made on an engine has not come home (BOX-12). */
async function refuseAway(ctx: CommandContext, id: string, what: string): Promise<void> {
  const pending = await new PendingAgent<unknown>(ctx, id).get();
  if (pending === null) return;
  const short = pending.run.slice(0, 8);
  throw new AmofError(
    "ecosystem_busy",
    `Cannot ${what}: what run ${short} made on an engine has not come home yet`,
    {
      hint: `Bring it home: amof agent run --ticket ${shellWord(id)} --resume ${short}`,
      details: { run_id: pending.run, ticket: id },
    },
  );
}
