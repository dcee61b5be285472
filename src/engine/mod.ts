/** Engines: one plan as many shards, on this machine or on a cluster that is already there. */

export {
  type ArrayEnd,
  engineOf,
  followArray,
  isEngineQuestion,
  requireEngine,
  waitsText,
} from "./array.ts";
export { arrayOf, Arrivals, endLeftArray, shaOf } from "./arrivals.ts";
export {
  type AgentAction,
  budgetsOf,
  installationKey,
  mixed,
  MOST_ITEMS,
  type PlanAction,
  planBytes,
  type PlanContent,
  type PlanItem,
  type ProgramAction,
  seal,
  shardCount,
  submittedItems,
} from "./plan/plan.ts";
export {
  engineNames,
  type Limits,
  LOCAL_ENGINE,
  type Profile,
  profileOf,
  type ShardView,
} from "./port.ts";
export { type SubmissionRecord, Submissions } from "./record.ts";
export { type ItemEnd, NO_BOX, type ShardChange, type ShardLine } from "./shard/line.ts";
export { Budgets, heard } from "./shard/budget.ts";
export { runShard } from "./shard/run.ts";
