/**
 * All commands of agentpack, in the order of help.
 *
 * @module
 */

import type { PackCommand } from "../declare/command.ts";
import { addCommand } from "./add.ts";
import { bootstrapCommand } from "./bootstrap.ts";
import { deployCommand } from "./deploy.ts";
import { diffCommand } from "./diff.ts";
import { doctorCommand } from "./doctor.ts";
import { evolveProposeCommand } from "./evolve_propose.ts";
import { evolveRestoreCommand } from "./evolve_restore.ts";
import { explainCommand } from "./explain.ts";
import { fetchCommand } from "./fetch.ts";
import { importCommand } from "./import.ts";
import { initCommand } from "./init.ts";
import { lockCommand } from "./lock.ts";
import { orphansListCommand } from "./orphans_list.ts";
import { orphansRemoveCommand } from "./orphans_remove.ts";
import { overlayEditCommand } from "./overlay_edit.ts";
import { overlayPathCommand } from "./overlay_path.ts";
import { overlayRebaseCommand } from "./overlay_rebase.ts";
import { planCommand } from "./plan.ts";
import { policyAuditCommand } from "./policy_audit.ts";
import { policyLintCommand } from "./policy_lint.ts";
import { policyLockCommand } from "./policy_lock.ts";
import { previewCommand } from "./preview.ts";
import { recordCommand } from "./record.ts";
import { remoteSetCommand } from "./remote_set.ts";
import { removeCommand } from "./remove.ts";
import { rollbackCommand } from "./rollback.ts";
import { schemaCommand } from "./schema.ts";
import { scoreCommand } from "./score.ts";
import { snapshotsListCommand } from "./snapshots_list.ts";
import { snapshotsPruneCommand } from "./snapshots_prune.ts";
import { statusCommand } from "./status.ts";
import { syncCommand } from "./sync.ts";
import { updateCommand } from "./update.ts";

/** Every command, grouped under the headings of help. */
export const PACK_GROUPS: readonly (readonly [string, readonly PackCommand[]])[] = [
  ["Config repo", [
    initCommand,
    addCommand,
    removeCommand,
    importCommand,
    lockCommand,
    fetchCommand,
    updateCommand,
    remoteSetCommand,
    syncCommand,
  ]],
  ["Deploy", [
    planCommand,
    diffCommand,
    previewCommand,
    deployCommand,
    statusCommand,
    rollbackCommand,
    explainCommand,
  ]],
  ["Overlays", [overlayEditCommand, overlayPathCommand, overlayRebaseCommand]],
  ["Evolve", [evolveProposeCommand, evolveRestoreCommand]],
  ["Governance", [policyLintCommand, policyLockCommand, policyAuditCommand]],
  ["Care", [
    doctorCommand,
    bootstrapCommand,
    snapshotsListCommand,
    snapshotsPruneCommand,
    orphansListCommand,
    orphansRemoveCommand,
    recordCommand,
    scoreCommand,
    schemaCommand,
  ]],
];

/** Every command. */
export const PACK_COMMANDS: readonly PackCommand[] = PACK_GROUPS.flatMap(([, list]) => list);
