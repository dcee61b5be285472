/**
 * The entry in the audit log of a run whose caller was killed before it could write one.
 *
 * @module
 */

import type { RunId } from "../../ids.ts";
import { type RunRecord, type Store, WAYS } from "../../store/mod.ts";
import type { System } from "../../system/mod.ts";
import { maskValue } from "../../text/mask.ts";

/** Whether nobody is left who would write the entry when the call ends. */
async function isNobodyLeft(run: RunRecord, system: System): Promise<boolean> {
  if (run.inline) return true;
  return run.starter !== null && !await system.processes.isAlive(run.starter);
}

/**
 * Writes down what was agreed to, for a run that has ended without who asked for it (CONFIRM-14). Nothing where an
 * entry names the run, or whoever asked is still there to write one. A log that cannot be written stops nothing.
 */
export async function noteOrphaned(id: RunId, store: Store, system: System): Promise<void> {
  const run = store.runs.get(id);
  if (run === null || !await isNobodyLeft(run, system)) return;
  try {
    if (store.audit.list({ run: id, limit: 1 }).length > 0) return;
    store.audit.add({
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
      runId: id,
    });
  } catch {
    // As at the end of a call, what there is to say to its caller does not depend on the log.
  }
}
