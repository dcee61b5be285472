/**
 * The commands of this room, for the registry alone: they are loaded together, when one of them is called.
 *
 * @module
 */

export { activeRuns } from "./active.ts";
export { cancelRunCommand } from "./cancel.ts";
export { listRuns } from "./list.ts";
export { runLogs } from "./logs.ts";
export { pruneRuns } from "./prune.ts";
export { runStatus } from "./status.ts";
export { runSummaryCommand } from "./summary.ts";
