/** Repeats transfers that failed for a reason that may pass (WORKSPACE-15). */

import { AmofError } from "../../base/error.ts";
import type { Clock } from "../../base/system/mod.ts";

/** Waits before the second, third and fourth try, in milliseconds. */
const DELAYS_MS = [1_000, 2_000, 4_000];

/** Whether a failure is one of the connection, which a later try may not meet. */
function isNetworkFailure(error: unknown): boolean {
  // An unknown host key or certificate also counts as unreachable, but trying again does not help.
  return error instanceof AmofError && error.code === "remote_unreachable" &&
    (error.details["kind"] ?? "network") === "network";
}

/**
 * Does work, and again after 1, 2 and 4 seconds while the network fails; any other failure is thrown at once. What the
 * signal ends while it waits or tries again is the failure that it had.
 */
export async function withRetries<T>(
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<T>,
  onRetry: (error: AmofError, delayMs: number) => void,
): Promise<T> {
  let before: unknown;
  for (const delay of [...DELAYS_MS, null]) {
    try {
      return await work();
    } catch (error) {
      // A try that was ended tells nothing; the one before it does.
      if (signal.aborted && before !== undefined) throw before;
      if (delay === null || !isNetworkFailure(error) || signal.aborted) throw error;
      before = error;
      onRetry(error as AmofError, delay);
      await clock.sleep(delay, signal);
      if (signal.aborted) throw error;
    }
  }
  throw before;
}
