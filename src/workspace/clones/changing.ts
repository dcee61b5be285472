/** What clones are made, adopted, fetched and remembered with; for whoever only looks at them there is mod.ts. */

export { adoptedAnywhere, type Adoption, liesInWorkspace } from "./adopted.ts";
export { type CloneFailure, type CloneOutcome, cloneOutcome, cloneRepo } from "./clone.ts";
export {
  borrowing,
  defaultInstead,
  fetchOrigin,
  fetchOthers,
  fetchRepo,
  type MirrorResult,
  type Sources,
  type Unfetched,
} from "./fetch.ts";
export {
  type Arrived,
  comparisonsOf,
  followRemote,
  type Remembering,
  rememberMerged,
  rememberPush,
  rememberPushes,
} from "./remember_merged.ts";
export { bringLateSubmodules, bringSubmodules, withSubmodules } from "./submodules.ts";
export { repairSteps } from "./repair.ts";
export { Transfers } from "./transfer.ts";
export { changedFlagged } from "./hidden.ts";
