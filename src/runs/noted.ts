/** The entry in the audit log of a run whose caller was killed before it could write one. */

import type { RunId } from "../base/ids.ts";
import { type RunRecord, type Store, WAYS } from "../state/store/mod.ts";
import type { System } from "../base/system/mod.ts";
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
 * Does so for all runs that have ended, but whose callers were killed before the entry was there: between the end and
 * the entry, or while a full disk kept it from the log.
 */
export async function noteAllOrphaned(store: Store, system: System): Promise<void> {
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
    // As at the end of a call, what there is to say to its caller does not depend on the log.
  }
}
