/** Questions about the status of a run. Where a status may change is decided in `store/runs.ts`. */

import { isObject } from "../base/object.ts";
import { ACTIVE_STATUSES, type RunStatus } from "../state/store/mod.ts";

/** Whether a run has ended for good. */
export function isFinal(status: RunStatus): boolean {
  return !ACTIVE_STATUSES.includes(status);
}

const PHRASES: Readonly<Record<string, string>> = {
  queued: "waits to begin",
  running: "is running",
  paused: "is paused",
  success: "has succeeded",
  failed: "has failed",
  cancelled: "was cancelled",
};

/**
 * The status of a run, and the error that it ended with, as the end of a sentence that began with the run: "has
 * succeeded", "was partly done". The exit code does not tell: a script's own may be that of a part.
 */
export function statusPhrase(status: string, error: unknown): string {
  if (isObject(error) && error["error"] === "partial_failure") return "was partly done";
  return PHRASES[status] ?? `is ${status}`;
}
