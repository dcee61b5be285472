/**
 * Questions about the status of a run. Where a status may change is decided in `store/runs.ts`.
 *
 * @module
 */

import { EXIT } from "../base/error.ts";
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

/** The status of a run as the end of a sentence that began with the run: "has succeeded", "was partly done". */
export function statusPhrase(status: string, exitCode: number | null): string {
  if (exitCode === EXIT.partial) return "was partly done";
  return PHRASES[status] ?? `is ${status}`;
}
