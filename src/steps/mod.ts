/**
 * Mutations as lists of steps.
 *
 * @module
 */

export {
  type Operation,
  operation,
  type OperationArguments,
  type OperationTable,
  operationTable,
} from "./operation.ts";
export { type JournalTools, perform, recover, type Settled, watchOver } from "./perform.ts";
