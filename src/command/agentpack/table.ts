/**
 * All commands of agentpack, in the order of help.
 *
 * @module
 */

import { bootstrap } from "./bootstrap.ts";
import type { PackCommand } from "./command.ts";
import { deploy } from "./deploy.ts";
import { doctor } from "./doctor.ts";
import { record, score } from "./events.ts";
import { propose, restore } from "./evolve.ts";
import { explain } from "./explain.ts";
import { importCommand } from "./import.ts";
import { init } from "./init.ts";
import { fetch, lock, update } from "./lock.ts";
import { add, remove } from "./modules.ts";
import * as orphans from "./orphans.ts";
import * as overlay from "./overlay.ts";
import * as policy from "./policy.ts";
import { diff, plan, preview } from "./plan.ts";
import { rollback } from "./rollback.ts";
import { schema } from "./schema.ts";
import * as snapshots from "./snapshots.ts";
import { status } from "./status.ts";
import { remote, sync } from "./sync.ts";

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
    remote,
    sync,
  ]],
  ["Deploy", [plan, diff, preview, deploy, status, rollback, explain]],
  ["Overlays", [overlay.edit, overlay.path, overlay.rebase]],
  ["Evolve", [propose, restore]],
  ["Governance", [policy.lint, policy.lock, policy.audit]],
  ["Care", [
    doctor,
    bootstrap,
    snapshots.listed,
    snapshots.prune,
    orphans.listed,
    orphans.remove,
    record,
    score,
    schema,
  ]],
];

/** Every command. */
export const PACK_COMMANDS: readonly PackCommand[] = PACK_GROUPS.flatMap(([, list]) => list);
