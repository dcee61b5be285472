/**
 * Finds runs whose worker is gone and settles them (RUN-8). So no run stays active for ever, no lock is held by
 * the dead, and no run is missing from the audit log.
 */

import { AmofError, errorObject } from "../base/error.ts";
import { ACTIVE_STATUSES, type RunRecord, type Store, WAYS } from "../state/store/mod.ts";
import type { System } from "../base/system/mod.ts";
import { shellWord } from "../base/text/words.ts";
import { endProgramsOf } from "./mark.ts";
import type { RunId } from "../base/ids.ts";
import { maskValue } from "../base/text/mask.ts";

/** Whether nobody is left who would write the entry when the call ends. */
async function isNobodyLeft(run: RunRecord, system: System): Promise<boolean> {
  return run.starter === null ? run.inline : !await system.processes.isAlive(run.starter);
}

/**
 * Writes down what was agreed to, for a run that has ended without who asked for it (CONFIRM-14). Nothing where an
 * entry names the run, or whoever asked is still there to write one. A log that cannot be written stops nothing.
 */
export async function noteOrphaned(id: RunId, store: Store, system: System): Promise<void> {
  const run = store.runs.get(id);
  if (run !== null) await noteIfOrphaned(run, store, system);
}

/**
 * Writes the entries of all runs that have ended, but whose callers were killed before that. They were killed
 * between the end and the entry, or while a full disk kept it from the log.
 */
async function noteAllOrphaned(store: Store, system: System): Promise<void> {
  for (const run of store.runs.owing()) await noteIfOrphaned(run, store, system);
}

async function noteIfOrphaned(run: RunRecord, store: Store, system: System): Promise<void> {
  if (!await isNobodyLeft(run, system)) return;
  try {
    store.audit.addOwed({
      at: system.clock.now(),
      door: run.origin,
      client: run.requestedBy,
      sessionId: run.sessionId ?? "",
      root: run.root,
      ecosystem: run.ecosystem,
      tool: run.tool,
      args: maskValue(run.args),
      // Only calls in mode execute become runs.
      mode: "execute",
      decision: run.confirmation === null ? "executed" : "accepted",
      way: WAYS.find((way) => way === run.confirmation?.way) ?? "none",
      fingerprint: run.fingerprint === "" ? null : run.fingerprint,
      outcome: run.status === "success" ? "ok" : run.error?.error ?? run.status,
      runId: run.runId,
    });
  } catch {
    // The answer of a call does not depend on the log, here as at its end.
  }
}

/** A run that never got a worker is given up after this long, and at once when nobody is left who could start one. */
const START_GRACE_MS = 30_000;
/** Where start times are unknown, a heartbeat older than this means that the worker is gone. */
const HEARTBEAT_LIMIT_MS = 60_000;

async function isGone(run: RunRecord, system: System): Promise<boolean> {
  const now = system.clock.now();
  if (run.worker === null) {
    // A worker that comes after all finds that the run is not waiting for it any more.
    const orphaned = run.starter !== null && !await system.processes.isAlive(run.starter);
    return orphaned || now - run.createdAt > START_GRACE_MS;
  }
  if (!await system.processes.isAlive(run.worker)) return true;
  return run.worker.startedAt === null &&
    now - (run.heartbeatAt ?? run.createdAt) > HEARTBEAT_LIMIT_MS;
}

/** What helps after a run whose process is gone: where it worked without a workspace, no status of one tells anything. */
function onwards({ runId, action, args, worker }: RunRecord): string {
  const { campaign, engine, shards } = args;
  if (typeof campaign === "string" && action.startsWith("campaign")) {
    return `Check what was done, then repeat: amof campaign status ${shellWord(campaign)}`;
  }
  if (
    worker !== null && action === "exec" &&
    (typeof engine === "string" || typeof shards === "number")
  ) {
    return `Go on with what it had submitted: amof exec --resume ${runId.slice(0, 8)}`;
  }
  return "Check what was done, then repeat: amof status";
}

/** Settles one run if its worker is gone; answers the record as it then is. */
export async function settleIfGone(
  run: RunRecord,
  store: Store,
  system: System,
): Promise<RunRecord> {
  if (!ACTIVE_STATUSES.includes(run.status) || !await isGone(run, system)) return run;
  const at = system.clock.now();
  // Programs of the run are ended first: nobody may look at what they still change.
  if (run.worker !== null) await endProgramsOf(run, system);
  const cancelled = run.cancelRequestedAt !== null;
  const message = cancelled
    ? "The worker ended after the cancellation"
    : run.worker === null
    ? "The command that asked for this was ended before the work began; nothing was done"
    : "The process that worked on this is gone; what it had done until then stays as it is";
  try {
    store.runs.move(run.runId, cancelled ? "cancelled" : "failed", at, {
      exitCode: cancelled ? 130 : 1,
      ...(cancelled ? {} : {
        reason: "interrupted",
        error: errorObject(
          new AmofError("interrupted", message, {
            hint: onwards(run),
          }),
        ),
      }),
    });
    store.events.append(run.runId, [{
      at,
      level: cancelled ? "warn" : "error",
      type: "state",
      message,
    }]);
    await noteOrphaned(run.runId, store, system);
  } catch (error) {
    // The worker or another process has settled the run meanwhile, and its result counts.
    if (!(error instanceof AmofError && error.code === "invalid_transition")) throw error;
  }
  return store.runs.get(run.runId) ?? run;
}

/**
 * Settles every active run whose worker is gone, and writes down what was agreed to where its caller is. Costs two
 * queries, and a liveness check for each run that is active or still owes its entry.
 */
export async function reconcile(store: Store, system: System): Promise<void> {
  for (const run of store.runs.list({ statuses: ACTIVE_STATUSES, limit: 1000 })) {
    await settleIfGone(run, store, system);
  }
  await noteAllOrphaned(store, system);
}
