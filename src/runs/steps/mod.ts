/** Mutations as lists of steps. */

export {
  NothingTouched,
  type Operation,
  operation,
  type OperationTable,
  operationTable,
  perform,
  recover,
  type Settled,
  unfinishedMarker,
  watchOver,
} from "./perform.ts";
