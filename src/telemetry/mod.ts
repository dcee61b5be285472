/**
 * What all runs and agent sessions add up to.
 *
 * @module
 */

export { agentStats } from "./agents.ts";
export { globalTelemetry } from "./global.ts";
