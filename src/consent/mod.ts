/**
 * Commands about consent: what waits for a person, and who decided what.
 *
 * @module
 */

export { approvals } from "./approvals.ts";
export { auditCommand } from "./audit.ts";
