/**
 * What other rooms need of the commands about the caller.
 *
 * @module
 */

export type { ApprovalsData } from "./approvals.ts";
export type { AuditData } from "./audit.ts";
export type { TelemetryData } from "./telemetry.ts";
export { requireParked } from "./parked.ts";
