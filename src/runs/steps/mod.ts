/** Mutations as lists of steps. */

export {
  NothingTouched,
  type Operation,
  operation,
  type OperationTable,
  operationTable,
} from "./operation.ts";
export {
  perform,
  recover,
  type Settled,
  stagesOf,
  unfinishedMarker,
  watchOver,
} from "./perform.ts";
