/** Whether an engine is worth it: work that this machine does in two minutes is done sooner here (ENGINE-11). */

import type { CommandContext } from "../../../contract/mod.ts";
import { count, duration } from "../../../base/text/words.ts";
import type { ExecFacts } from "../facts.ts";
import type { ExecRow } from "../answer.ts";

/** From so many seconds on this machine on an engine may be worth it. */
const WORTH_S = 120;
/** How many runs are looked through. */
const MOST_RUNS = 20;

/** How long a program took in an earlier run, for each repository, in seconds. */
interface Earlier {
  readonly runId: string;
  readonly each: number;
}

/** The newest run of the same program in this ecosystem that began it anywhere; null where there is none. */
async function earlierRun(
  { store, root, ecosystem }: Pick<CommandContext, "store" | "root" | "ecosystem">,
  { task, argv, shell }: Pick<ExecFacts, "task" | "argv" | "shell">,
): Promise<Earlier | null> {
  const words = JSON.stringify([task, argv, shell]);
  const { runs } = await store();
  for (
    const { runId, result } of runs.list({ root, ecosystem, action: "exec", limit: MOST_RUNS })
  ) {
    const ended = (result ?? {}) as Partial<Pick<ExecFacts, "task" | "argv" | "shell">> & {
      readonly repos?: readonly Pick<ExecRow, "outcome" | "seconds">[];
    };
    if (JSON.stringify([ended.task, ended.argv, ended.shell]) !== words) continue;
    const began = (Array.isArray(ended.repos) ? ended.repos : [])
      .filter(({ outcome }) => outcome === "ok" || outcome === "failed");
    if (began.length === 0) continue;
    return { runId, each: began.reduce((sum, { seconds }) => sum + seconds, 0) / began.length };
  }
  return null;
}

/**
 * Why the work had better stay on this machine, with what that is known from; null where it is not known, where an
 * engine is worth it, and where it stays here anyway.
 */
export async function hereInstead(
  ctx: Pick<CommandContext, "store" | "root" | "ecosystem" | "system">,
  facts: Pick<ExecFacts, "task" | "argv" | "shell" | "far" | "repos">,
): Promise<string | null> {
  if (facts.far === null || facts.far.kind === "local") return null;
  const earlier = await earlierRun(ctx, facts);
  if (earlier === null) return null;
  const { cpus } = ctx.system.env;
  const seconds = earlier.each * facts.repos.length / Math.max(1, cpus);
  if (seconds >= WORTH_S) return null;
  const repos = count(facts.repos.length, "repository", "repositories");
  return `this machine takes about ${duration(seconds)} (${repos}, ${
    duration(earlier.each)
  } each in run ${earlier.runId.slice(0, 8)}, ${
    count(cpus, "processor")
  }); an engine is worth it from ${duration(WORTH_S)} on`;
}
