/**
 * Commands about runs.
 *
 * @module
 */

export { cancelRunCommand } from "./cancel.ts";
export { activeRuns } from "./active.ts";
export { listRuns } from "./list.ts";
export { eventLine, runLogs } from "./logs.ts";
export { pruneRuns } from "./prune.ts";
export { runDetails, runStatus } from "./status.ts";
export { runSummaryCommand } from "./summary.ts";
