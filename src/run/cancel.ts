/**
 * Ends a run: politely, then with its whole process group.
 *
 * @module
 */

import type { RunRecord, Store } from "../store/mod.ts";
import type { System } from "../system/mod.ts";
import { settleIfGone } from "./liveness.ts";
import { runMark } from "./mark.ts";
import { isFinal } from "./states.ts";

/** How long a worker may wind down before its group is killed. */
const GRACE_MS = 5_000;
const POLL_MS = 50;

/**
 * Asks a run to end and waits until it has. The worker gets SIGTERM with its whole process group, and
 * SIGKILL after 5 seconds. A run that has ended already is returned as it is.
 */
export async function cancelRun(run: RunRecord, store: Store, system: System): Promise<RunRecord> {
  const { clock, processes } = system;
  if (!store.runs.requestCancel(run.runId, clock.now())) return store.runs.get(run.runId) ?? run;
  store.events.append(run.runId, [
    { at: clock.now(), level: "warn", type: "state", message: "Cancellation was requested" },
  ]);
  let current = store.runs.get(run.runId) ?? run;
  // Whoever works on an inline run does other things too: it looks for the request by itself.
  const reachable = current.worker !== null && !current.inline;
  if (current.worker !== null && reachable && await processes.isAlive(current.worker)) {
    processes.signal(current.worker.pid, "SIGTERM", true);
  }
  let killed = false;
  const asked = clock.now();
  // Bounded: five seconds of patience, and five more for the kernel to clear up after the kill.
  while (!isFinal(current.status) && clock.now() - asked < 2 * GRACE_MS) {
    await clock.sleep(POLL_MS);
    current = await settleIfGone(store.runs.get(run.runId) ?? current, store, system);
    if (
      !killed && !isFinal(current.status) && reachable && current.worker !== null &&
      clock.now() - asked >= GRACE_MS
    ) {
      killed = processes.signal(current.worker.pid, "SIGKILL", true);
    }
  }
  if (isFinal(current.status) && reachable && current.worker !== null) {
    // The worker has said its last word; what ignored the polite request goes with the rest of its group.
    while (await processes.isAlive(current.worker) && clock.now() - asked < 2 * GRACE_MS) {
      await clock.sleep(POLL_MS);
    }
    await processes.endOrphans(current.worker);
    await processes.endMarked(runMark(current.runId));
  }
  return current;
}
