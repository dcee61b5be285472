/** Repeats work on a database that another program holds, where giving up would lose what was done. */

import { AmofError } from "../../base/error.ts";
import type { Clock } from "../../base/system/mod.ts";

/** How long, in milliseconds. */
const LIMIT_MS = 120_000;
const PAUSE_MS = 100;
/** When to try again in the background. */
const LATER_MS = 500;

/** Whether a failure is that of a held database, which may be free the next time. */
function isStateBusy(error: unknown): boolean {
  return error instanceof AmofError && error.code === "state_busy";
}

/** Whether a failure is that of a database for which there is no space, which may come back. */
function isStateFull(error: unknown): boolean {
  return error instanceof AmofError && error.code === "file_failed" &&
    error.details["kind"] === "disk_full";
}

/** Whether the store may take later what it has not taken now. */
export function mayBeWritten(error: unknown): boolean {
  return isStateBusy(error) || isStateFull(error);
}

/**
 * Does in the background what the store has not taken, and again until it takes it: for what must not be missing in a
 * process that lives on. Any other failure ends it, as that of a store that was closed.
 */
export function writeLater(work: () => void | Promise<void>): void {
  setTimeout(async () => {
    try {
      await work();
    } catch (error) {
      if (mayBeWritten(error)) writeLater(work);
    }
  }, LATER_MS);
}

/** Does work on the store, and again while another program holds it, for two minutes or `limitMs` at most. */
export async function insist<T>(
  clock: Clock,
  work: () => T,
  limitMs: number = LIMIT_MS,
): Promise<T> {
  const begun = clock.now();
  while (true) {
    try {
      return work();
    } catch (error) {
      if (!isStateBusy(error) || clock.now() - begun > limitMs) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}
