/**
 * The commands about who is calling: where a session stands, what waits for consent, who decided what, what was
 * counted.
 *
 * @module
 */

export { agentStats } from "./agent_stats.ts";
export { approvals, type ApprovalsData } from "./approvals.ts";
export { auditCommand, type AuditData } from "./audit.ts";
export { auditVerify } from "./audit_verify.ts";
export { scopeBack } from "./back.ts";
export { confirm } from "./confirm.ts";
export { cancelConfirm } from "./confirm_cancel.ts";
export { requireParked } from "./parked.ts";
export { setMode } from "./mode.ts";
export { scopeInfo } from "./scope.ts";
export { globalTelemetry, type TelemetryData } from "./telemetry.ts";
