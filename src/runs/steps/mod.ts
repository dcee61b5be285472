/**
 * Mutations as lists of steps.
 *
 * @module
 */

export { NothingTouched, operation, type OperationTable, operationTable } from "./operation.ts";
export { perform, recover, type Settled, watchOver } from "./perform.ts";
