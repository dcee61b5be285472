/**
 * Questions about the status of a run. Where a status may change is decided in `store/runs.ts`.
 *
 * @module
 */

import { ACTIVE_STATUSES, type RunStatus } from "../store/mod.ts";

/** Whether a run has ended for good. */
export function isFinal(status: RunStatus): boolean {
  return !ACTIVE_STATUSES.includes(status);
}
