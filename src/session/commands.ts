/**
 * The commands of this room, for the registry alone: they are loaded together, when one of them is called.
 *
 * @module
 */

export { agentStats } from "./agent_stats.ts";
export { approvals } from "./approvals.ts";
export { auditCommand } from "./audit.ts";
export { auditVerify } from "./audit_verify.ts";
export { scopeBack } from "./back.ts";
export { confirm } from "./confirm.ts";
export { cancelConfirm } from "./confirm_cancel.ts";
export { mcpInstall } from "./mcp_install.ts";
export { setMode } from "./mode.ts";
export { scopeInfo } from "./scope.ts";
export { globalTelemetry } from "./telemetry.ts";
