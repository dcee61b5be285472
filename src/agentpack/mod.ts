/**
 * agentpack: deploys agents' assets (instructions, skills, prompts, commands) from a config repo into the
 * files that coding tools read (PACK-1 to PACK-59).
 *
 * Every command is one function from a {@linkcode Pack}, a {@linkcode Selection} and its options to an
 * {@linkcode Answer}; failures are {@linkcode AgentpackError}. Doors add the envelope, `--yes` and the rest.
 *
 * @module
 */

export { bootstrap, type BootstrapData, type BootstrapOptions } from "./command/bootstrap.ts";
export {
  type Binding,
  bindingOf,
  carryOut,
  deployApply,
  type DeployData,
  deployPlan,
  diff,
  plan,
  type PlanData,
  planHash,
  preview,
  type PreviewData,
} from "./command/deploy.ts";
export { doctor, type DoctorData } from "./command/doctor.ts";
export {
  evolvePropose,
  type EvolveProposeData,
  type EvolveProposeOptions,
} from "./command/evolve_propose.ts";
export {
  evolveRestore,
  type EvolveRestoreData,
  type EvolveRestoreOptions,
} from "./command/evolve_restore.ts";
export {
  explainPlan,
  type ExplainPlanData,
  explainStatus,
  type ExplainStatusData,
} from "./command/explain.ts";
export { importAssets, type ImportData } from "./command/import.ts";
export { init, type InitData, type InitOptions, requireTerminal } from "./command/init.ts";
export {
  fetch,
  type FetchData,
  lock,
  type LockData,
  update,
  type UpdateData,
} from "./command/lock.ts";
export { add, type AddOptions, type ModuleData, remove } from "./command/module.ts";
export { listOrphans, type OrphansData, removeOrphans } from "./command/orphans.ts";
export {
  overlayEdit,
  type OverlayEditData,
  type OverlayEditOptions,
  overlayPath,
  type OverlayPathData,
} from "./command/overlay_edit.ts";
export {
  overlayRebase,
  type OverlayRebaseData,
  type OverlayRebaseOptions,
} from "./command/overlay_rebase.ts";
export {
  policyAudit,
  type PolicyAuditData,
  policyLint,
  type PolicyLintData,
  policyLock,
  type PolicyLockData,
} from "./command/policy.ts";
export { record, type RecordData, score, type ScoreData } from "./command/record.ts";
export {
  rollback,
  type RollbackData,
  rollbackPlan,
  type RollbackPlanData,
} from "./command/rollback.ts";
export { type SchemaData, schemaData } from "./command/schema.ts";
export {
  listSnapshots,
  type PruneData,
  pruneSnapshots,
  type SnapshotsData,
} from "./command/snapshots.ts";
export { type RemoteData, remoteSet, sync, type SyncData } from "./command/sync.ts";
export { DRIFT_KINDS, status, type StatusData } from "./command/status.ts";
export { configSchema } from "./config/schema.ts";
export type { Deployment } from "./engine/deployment.ts";
export { checkAdoption } from "./engine/deployment.ts";
export { type FileDiff, fileDiffs } from "./engine/file_diff.ts";
export type { Change as PlanChange, ChangeSummary } from "./engine/plan.ts";
export { type HeldLock, withHomeLock } from "./engine/lock.ts";
export {
  AGENTPACK_CODES,
  type AgentpackCode,
  AgentpackError,
  confirmRequired,
  toAgentpackError,
} from "./error.ts";
export { type Home, homeOf } from "./identity/home.ts";
export {
  MODULE_TYPES,
  type ModuleType,
  OVERLAY_KINDS,
  OVERLAY_SCOPES,
  type OverlayKind,
  type OverlayScope,
  type Scope,
  SCOPES,
  TARGET_NAMES,
  type TargetName,
} from "./names.ts";
export {
  type Answer,
  type Approve,
  makePack,
  type Pack,
  type PackOptions,
  type Selection,
} from "./pack.ts";
export { type OutputRow, outputTable } from "./target/table.ts";
