/**
 * The work of agentpack's commands, as tests call it.
 *
 * @module
 */

export { add } from "../../src/agentpack/command/add.ts";
export { bootstrap } from "../../src/agentpack/command/bootstrap.ts";
export { deployApply, type DeployData, deployPlan } from "../../src/agentpack/command/deploy.ts";
export { diff } from "../../src/agentpack/command/diff.ts";
export { doctor } from "../../src/agentpack/command/doctor.ts";
export {
  evolvePropose,
  type EvolveProposeData,
  type EvolveProposeOptions,
} from "../../src/agentpack/command/evolve_propose.ts";
export { evolveRestore } from "../../src/agentpack/command/evolve_restore.ts";
export { explainPlan, explainStatus } from "../../src/agentpack/command/explain.ts";
export { fetch } from "../../src/agentpack/command/fetch.ts";
export { importAssets } from "../../src/agentpack/command/import.ts";
export { init, requireTerminal } from "../../src/agentpack/command/init.ts";
export { lock } from "../../src/agentpack/command/lock.ts";
export { listOrphans } from "../../src/agentpack/command/orphans_list.ts";
export { removeOrphans } from "../../src/agentpack/command/orphans_remove.ts";
export { overlayEdit, type OverlayEditOptions } from "../../src/agentpack/command/overlay_edit.ts";
export { overlayPath } from "../../src/agentpack/command/overlay_path.ts";
export { overlayRebase } from "../../src/agentpack/command/overlay_rebase.ts";
export { plan } from "../../src/agentpack/command/plan.ts";
export { policyAudit } from "../../src/agentpack/command/policy_audit.ts";
export { policyLint } from "../../src/agentpack/command/policy_lint.ts";
export { policyLock } from "../../src/agentpack/command/policy_lock.ts";
export { preview } from "../../src/agentpack/command/preview.ts";
export { record } from "../../src/agentpack/command/record.ts";
export { remoteSet } from "../../src/agentpack/command/remote_set.ts";
export { remove } from "../../src/agentpack/command/remove.ts";
export { rollback } from "../../src/agentpack/command/rollback.ts";
export { schemaData } from "../../src/agentpack/command/schema.ts";
export { score } from "../../src/agentpack/command/score.ts";
export { listSnapshots } from "../../src/agentpack/command/snapshots_list.ts";
export { pruneSnapshots } from "../../src/agentpack/command/snapshots_prune.ts";
export { status } from "../../src/agentpack/command/status.ts";
export { sync } from "../../src/agentpack/command/sync.ts";
export { update } from "../../src/agentpack/command/update.ts";
