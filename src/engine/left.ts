/** The arrays of runs whose process is gone: their engines go on with them until somebody ends them (ENGINE-7). */

import type { ArrayLeft } from "../contract/mod.ts";
import type { LeftPlace } from "../runs/mod.ts";
import type { RunRecord } from "../state/store/mod.ts";
import { endArray } from "./array.ts";
import { submittedItems } from "./plan/plan.ts";
import { type SubmissionRecord, Submissions } from "./record.ts";

async function recordOf(at: LeftPlace, run: string): Promise<SubmissionRecord | null> {
  const record = await new Submissions(at.system.files, at.layout).get(run);
  return record === null || record.phase === "settled" ? null : record;
}

/** The array of a run that its engine may still work on, or null. */
export async function arrayOf(
  at: LeftPlace,
  run: string,
): Promise<{ readonly engine: string } | null> {
  const record = await recordOf(at, run);
  return record === null ? null : { engine: record.profile.name };
}

/**
 * Ends what an engine still does for a run that has ended, and notes in the log of that run where it had ended well;
 * null where there is nothing. Throws `engine_unavailable` where the engine cannot be reached.
 */
export async function endLeftArray(at: LeftPlace, run: RunRecord): Promise<ArrayLeft | null> {
  const { system, layout } = at;
  const record = await recordOf(at, run.runId);
  if (record === null) return null;
  const { events } = await at.store();
  const submissions = new Submissions(system.files, layout);
  const repos = submittedItems(await submissions.plan(run.runId));
  const good = new Set<string>();
  const { confirmed, unreachable } = await endArray({
    system,
    submissions,
    record,
    line(line) {
      const repo = line.type === "item" && line.state === "ok" ? repos[line.i] : undefined;
      if (repo !== undefined) good.add(repo.repo);
    },
  });
  const now = system.clock.now();
  events.append(
    run.runId,
    [...good].toSorted().map((repo) => ({
      at: now,
      level: "info" as const,
      type: "repo" as const,
      message: `${repo}: ok`,
      payload: { repo, outcome: "ok" },
    })),
  );
  return { engine: record.profile.name, confirmed, unreachable };
}
