/**
 * The arrays of runs whose process is gone: their engines go on with them until somebody ends them (ENGINE-7).
 *
 * @module
 */

import type { ArrayLeft } from "../contract/mod.ts";
import { endArray, type SubmissionRecord, Submissions, submittedItems } from "../engine/mod.ts";
import { cancelRun } from "../runs/mod.ts";
import type { RunRecord } from "../state/store/mod.ts";
import type { App } from "./app.ts";

/** How long a worker may wait until its engine has ended everything: pods and jobs get a minute, and a node may not answer. */
const ENGINE_GRACE_MS = 150_000;

async function recordOf(app: App, run: string): Promise<SubmissionRecord | null> {
  const record = await new Submissions(app.system.files, app.layout).get(run);
  return record === null || record.phase === "settled" ? null : record;
}

/** The array of a run that its engine may still work on, or null. */
export async function arrayOf(app: App, run: string): Promise<{ readonly engine: string } | null> {
  const record = await recordOf(app, run);
  return record === null ? null : { engine: record.profile.name };
}

/** Ends a run; one that has work on an engine gets the time that takes. */
export async function cancelWithArray(app: App, run: RunRecord): Promise<RunRecord> {
  const array = await recordOf(app, run.runId);
  const least = array === null ? 0 : ENGINE_GRACE_MS;
  return await cancelRun(run, { store: await app.store(), system: app.system, least });
}

/**
 * Ends what an engine still does for a run that has ended, and notes in the log of that run where it had ended well;
 * null where there is nothing. Throws `engine_unavailable` where the engine cannot be reached.
 */
export async function endLeftArray(app: App, run: RunRecord): Promise<ArrayLeft | null> {
  const { system, layout } = app;
  const record = await recordOf(app, run.runId);
  if (record === null) return null;
  const { events } = await app.store();
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
  const at = system.clock.now();
  events.append(
    run.runId,
    [...good].toSorted().map((repo) => ({
      at,
      level: "info" as const,
      type: "repo" as const,
      message: `${repo}: ok`,
      payload: { repo, outcome: "ok" },
    })),
  );
  return { engine: record.profile.name, confirmed, unreachable };
}
