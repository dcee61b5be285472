/** `amof runs prune`: forgets old runs with their logs (RUN-5), and what is kept to undo them (UNDO-6). */

import { mutation } from "../../contract/mod.ts";
import { count } from "../../base/text/words.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** `amof runs prune`. */
export const pruneRuns = mutation({
  name: "amof_prune_runs",
  path: ["runs", "prune"],
  mcp: "never",
  toolset: "run",
  scope: "global",
  needs: "nothing",
  safety: "safe-write",
  confirm: "simple",
  asks: { deed: "pruning", will: "forget runs and their logs" },
  title: "Prune runs",
  summary: "Forget runs that are neither among the newest nor recent; active ones always stay.",
  examples: ["runs prune", "runs prune --keep 100 --days 7 --yes"],
  input: (z) => ({
    keep: z.int().min(0).max(100_000).default(500).describe("How many of the newest stay"),
    days: z.int().min(0).max(3650).default(30).describe("Runs younger than this many days stay"),
  }),
  async preview(ctx, input) {
    const { runs } = await ctx.store();
    const before = ctx.system.clock.now() - input.days * DAY_MS;
    const { prunable, total } = runs.prunable(input.keep, before);
    return {
      // The moment is left out: a few seconds of thought must not make the request stale.
      facts: { keep: input.keep, days: input.days, prunable },
      summary: `Would forget ${count(prunable, "run")} of ${total}.`,
      effects: prunable === 0
        ? []
        : [`Delete ${count(prunable, "run")} with their logs, and what is kept to undo them`],
      irreversible: "Their logs cannot be brought back, and what they did cannot be undone.",
      current: `${count(total, "run")} recorded`,
      alternatives: ["Keep more: the same command with --keep N"],
      ...(prunable === 0 ? { settled: { data: { pruned: 0, kept: total } } } : {}),
    };
  },
  async execute(ctx, input) {
    const pruned = ctx.runs.prune(input.keep, ctx.system.clock.now() - input.days * DAY_MS);
    await ctx.runs.forget();
    const { total } = (await ctx.store()).runs.prunable(input.keep, 0);
    return { data: { pruned, kept: total } };
  },
  render: (data: { readonly pruned: number; readonly kept: number }) => ({
    summary: data.pruned === 0
      ? "Kept all runs."
      : `Forgot ${count(data.pruned, "run")}, kept ${data.kept}.`,
  }),
});
