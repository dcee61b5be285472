/** All commands of agentpack, in the order of help. */

import type { PackCommand } from "../declare/command.ts";
import { add } from "./add.ts";
import { bootstrap } from "./bootstrap.ts";
import { deploy } from "./deploy.ts";
import { diff } from "./diff.ts";
import { doctor } from "./doctor/doctor.ts";
import { evolvePropose } from "./evolve/propose.ts";
import { evolveRestore } from "./evolve/restore.ts";
import { explain } from "./explain/explain.ts";
import { fetch } from "./fetch.ts";
import { importCommand } from "./import.ts";
import { init } from "./init.ts";
import { lock } from "./lock.ts";
import { orphansList } from "./orphans/list.ts";
import { orphansRemove } from "./orphans/remove.ts";
import { overlayEdit } from "./overlay/edit.ts";
import { overlayPath } from "./overlay/path.ts";
import { overlayRebase } from "./overlay/rebase.ts";
import { plan } from "./plan.ts";
import { policyAudit } from "./policy/audit.ts";
import { policyLint } from "./policy/lint.ts";
import { policyLock } from "./policy/lock.ts";
import { preview } from "./preview.ts";
import { record } from "./record.ts";
import { remoteSet } from "./remote/set.ts";
import { remove } from "./remove.ts";
import { rollback } from "./rollback.ts";
import { schema } from "./schema.ts";
import { score } from "./score.ts";
import { snapshotsList } from "./snapshots/list.ts";
import { snapshotsPrune } from "./snapshots/prune.ts";
import { status } from "./status.ts";
import { sync } from "./sync.ts";
import { update } from "./update.ts";

/** Every command, grouped under the headings of help. */
export const PACK_GROUPS: readonly (readonly [string, readonly PackCommand[]])[] = [
  ["Config repo", [
    init,
    add,
    remove,
    importCommand,
    lock,
    fetch,
    update,
    remoteSet,
    sync,
  ]],
  ["Deploy", [
    plan,
    diff,
    preview,
    deploy,
    status,
    rollback,
    explain,
  ]],
  ["Overlays", [overlayEdit, overlayPath, overlayRebase]],
  ["Evolve", [evolvePropose, evolveRestore]],
  ["Governance", [policyLint, policyLock, policyAudit]],
  ["Care", [
    doctor,
    bootstrap,
    snapshotsList,
    snapshotsPrune,
    orphansList,
    orphansRemove,
    record,
    score,
    schema(() => PACK_COMMANDS),
  ]],
];

/** Every command. */
export const PACK_COMMANDS: readonly PackCommand[] = PACK_GROUPS.flatMap(([, list]) => list);
