/**
 * Mutations as lists of steps.
 *
 * @module
 */

export {
  NothingTouched,
  type Operation,
  operation,
  type OperationTable,
  operationTable,
} from "./operation.ts";
export { perform, recover, type Settled, watchOver } from "./perform.ts";
