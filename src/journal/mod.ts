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
export { type JournalTools, perform, recover, type Settled } from "./perform.ts";
export { runSteps, type Step } from "./steps.ts";
