/** Ends a run: politely, so that it takes back in order what it began, then with its whole process group. */

import type { RunRecord, Store } from "../state/store/mod.ts";
import type { System } from "../base/system/mod.ts";
import { settleIfGone } from "./liveness.ts";
import { endProgramsOf } from "./mark.ts";
import { isFinal } from "./view.ts";

/** How long a worker may wind down before its group is killed. */
const GRACE_MS = 5_000;
/** The same for one that has steps to take back: killed, it would leave them to the next command. */
const UNDO_GRACE_MS = 30_000;
const POLL_MS = 50;

/**
 * Asks a run to end and waits until it has. The worker gets SIGTERM, ends what it waits for and takes back what it
 * journaled; after 5 seconds, 30 while its journal is open, it gets SIGKILL with its whole process group. What it
 * leaves is ended after it. A run that has ended already is returned as it is.
 */
export async function cancelRun(
  run: RunRecord,
  { store, system, least = 0 }: {
    readonly store: Store;
    readonly system: System;
    /** It gets at least so long, in milliseconds. */
    readonly least?: number;
  },
): Promise<RunRecord> {
  const { clock, processes } = system;
  if (!store.runs.requestCancel(run.runId, clock.now())) return store.runs.get(run.runId) ?? run;
  store.events.append(run.runId, [
    { at: clock.now(), level: "warn", type: "state", message: "Cancellation was requested" },
  ]);
  let current = store.runs.get(run.runId) ?? run;
  // The process of an inline run also does other work, so it is not signalled; it polls for the request.
  const reachable = current.worker !== null && !current.inline;
  if (current.worker !== null && reachable && await processes.isAlive(current.worker)) {
    // It ends its programs by itself, but for those it needs to finish or take back what it has begun.
    processes.signal(current.worker.pid, "SIGTERM", false);
  }
  let killed = false;
  const asked = clock.now();
  const grace = Math.max(least, store.journal.isOpen(run.runId) ? UNDO_GRACE_MS : GRACE_MS);
  // Bounded: patience, and five seconds more for the kernel to clear up after the kill.
  while (!isFinal(current.status) && clock.now() - asked < grace + GRACE_MS) {
    await clock.sleep(POLL_MS);
    current = await settleIfGone(store.runs.get(run.runId) ?? current, store, system);
    if (
      !killed && !isFinal(current.status) && reachable && current.worker !== null &&
      clock.now() - asked >= grace
    ) {
      killed = processes.signal(current.worker.pid, "SIGKILL", true);
    }
  }
  if (isFinal(current.status)) {
    // The worker has written its result; programs of its group that ignored SIGTERM are killed.
    while (
      reachable && current.worker !== null && await processes.isAlive(current.worker) &&
      clock.now() - asked < grace + GRACE_MS
    ) {
      await clock.sleep(POLL_MS);
    }
    await endProgramsOf(current, system);
  }
  return current;
}
