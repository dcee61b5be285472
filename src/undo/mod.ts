/**
 * Undo: looks before and after every run that changes repositories, and the way back.
 *
 * @module
 */

export { settleKilled, withBar } from "./bar.ts";
export { barOf, namedRun, operationOf, operationsHere, undoneBy, whyNot } from "./find.ts";
export { lookAtRepos } from "./plan.ts";
export { prune as pruneOperations } from "./prune.ts";
export { type OperationRecord, untilOf } from "./record.ts";
export { UNDO_OPERATIONS } from "./operations.ts";
export { withEnded } from "./ending.ts";
export { withAdded, withMade } from "./making.ts";
export { withViews } from "./views.ts";
