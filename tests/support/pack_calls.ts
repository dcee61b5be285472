/**
 * agentpack's commands as functions with types, below their doors: without consent, envelope and audit log.
 *
 * @module
 */

import { add as addCommand } from "../../src/apps/agentpack/command/add.ts";
import { bootstrap as bootstrapCommand } from "../../src/apps/agentpack/command/bootstrap.ts";
import { deploy } from "../../src/apps/agentpack/command/deploy.ts";
import { diff as diffCommand } from "../../src/apps/agentpack/command/diff.ts";
import { doctor as doctorCommand } from "../../src/apps/agentpack/command/doctor/doctor.ts";
import { evolvePropose as proposeCommand } from "../../src/apps/agentpack/command/evolve/propose.ts";
import { evolveRestore as restoreCommand } from "../../src/apps/agentpack/command/evolve/restore.ts";
import {
  explain,
  type ExplainPlanData,
  type ExplainStatusData,
} from "../../src/apps/agentpack/command/explain/explain.ts";
import { fetch as fetchCommand } from "../../src/apps/agentpack/command/fetch.ts";
import { importCommand } from "../../src/apps/agentpack/command/import.ts";
import { init as initCommand, type InitData } from "../../src/apps/agentpack/command/init.ts";
import { lock as lockCommand } from "../../src/apps/agentpack/command/lock.ts";
import { orphansList } from "../../src/apps/agentpack/command/orphans/list.ts";
import { orphansRemove } from "../../src/apps/agentpack/command/orphans/remove.ts";
import { overlayEdit as editCommand } from "../../src/apps/agentpack/command/overlay/edit.ts";
import { overlayPath as pathCommand } from "../../src/apps/agentpack/command/overlay/path.ts";
import { overlayRebase as rebaseCommand } from "../../src/apps/agentpack/command/overlay/rebase.ts";
import { plan as planCommand } from "../../src/apps/agentpack/command/plan.ts";
import { policyAudit as auditCommand } from "../../src/apps/agentpack/command/policy/audit.ts";
import { policyLint as lintCommand } from "../../src/apps/agentpack/command/policy/lint.ts";
import { policyLock as policyLockCommand } from "../../src/apps/agentpack/command/policy/lock.ts";
import { preview as previewCommand } from "../../src/apps/agentpack/command/preview.ts";
import { remoteSet as remoteCommand } from "../../src/apps/agentpack/command/remote/set.ts";
import {
  record as recordCommand,
  type RecordData,
} from "../../src/apps/agentpack/command/record.ts";
import { remove as removeCommand } from "../../src/apps/agentpack/command/remove.ts";
import {
  rollback as rollbackCommand,
  type RollbackData,
} from "../../src/apps/agentpack/command/rollback.ts";
import {
  type SchemaData,
  schemaData as describe,
} from "../../src/apps/agentpack/command/schema.ts";
import { PACK_COMMANDS } from "../../src/apps/agentpack/command/table.ts";
import { score as scoreCommand } from "../../src/apps/agentpack/command/score.ts";
import { snapshotsList } from "../../src/apps/agentpack/command/snapshots/list.ts";
import { snapshotsPrune } from "../../src/apps/agentpack/command/snapshots/prune.ts";
import { status as statusCommand } from "../../src/apps/agentpack/command/status.ts";
import { sync as syncCommand } from "../../src/apps/agentpack/command/sync.ts";
import { update as updateCommand } from "../../src/apps/agentpack/command/update.ts";
import {
  commandId,
  type CommandSpec,
  type InputOf,
  isChange,
  type Options,
} from "../../src/apps/agentpack/declare/command.ts";
import * as run from "../../src/apps/agentpack/declare/run.ts";
import type { Answer, Pack, Selection } from "../../src/apps/agentpack/pack.ts";

/** What `schema` says. */
export const schemaData = (): SchemaData => describe(PACK_COMMANDS);
export type { DeployData } from "../../src/apps/agentpack/command/deploy.ts";
export type {
  EvolveProposeData,
  EvolveProposeOptions,
} from "../../src/apps/agentpack/command/evolve/propose.ts";
export type { OverlayEditOptions } from "../../src/apps/agentpack/command/overlay/edit.ts";

/** Approves of what a command, named by its id, found under the lock, or throws. */
export type Approve = (id: string, facts: object) => Promise<void>;

const agree: Approve = () => Promise.resolve();

/** What a call may say besides its options. */
export interface How {
  /** Whether to look instead of changing something. */
  readonly dryRun?: boolean;
  readonly approve?: Approve;
}

type Called<O extends Options, A> = (
  pack: Pack,
  selection: Selection,
  options?: Partial<InputOf<O>> & How,
) => Promise<A>;

function filled<O extends Options>(
  options: O,
  given: Partial<InputOf<O>> & How,
): InputOf<Options> {
  const fallbacks = Object.entries(options).map(([id, option]) => [id, option.fallback]);
  return { ...Object.fromEntries(fallbacks), ...given };
}

function looking<O extends Options, A extends Answer<object>, P>(
  command: CommandSpec<O, A, P>,
  more: Partial<InputOf<O>> & How = {},
): Called<O, A> {
  return (pack, selection, options = more) =>
    run.inspect(command, { pack, selection }, filled(command.options, { ...more, ...options }));
}

function acting<O extends Options, A extends Answer<object>, P>(
  command: CommandSpec<O, A, P>,
  more: Partial<InputOf<O>> & How = {},
): Called<O, A> {
  const look = looking(command, more);
  return (pack, selection, options = more) => {
    const input = filled(command.options, { ...more, ...options });
    if (options.dryRun === true || !isChange(command, input)) return look(pack, selection, options);
    const id = commandId(command, input, false);
    const approve = options.approve ?? agree;
    return run.act(command, { pack, selection }, input, { approve: (facts) => approve(id, facts) });
  };
}

/** The command of that name. */
export const add = acting(addCommand);
/** The command of that name. */
export const bootstrap = acting(bootstrapCommand);
/** The command of that name. */
export const deployApply = acting(deploy, { apply: true });
/** The command of that name. */
export const deployPlan = looking(deploy);
/** The command of that name. */
export const diff = looking(diffCommand);
/** The command of that name. */
export const doctor = acting(doctorCommand);
/** The command of that name. */
export const evolvePropose = acting(proposeCommand);
/** The command of that name. */
export const evolveRestore = acting(restoreCommand);
/** The command of that name. */
export const fetch = acting(fetchCommand);
/** The command of that name. */
export const importAssets = acting(importCommand);
/** The command of that name. */
export const lock = acting(lockCommand);
/** The command of that name. */
export const listOrphans = looking(orphansList);
/** The command of that name. */
export const removeOrphans = acting(orphansRemove);
/** The command of that name. */
export const overlayEdit = acting(editCommand);
/** The command of that name. */
export const overlayPath = looking(pathCommand);
/** The command of that name. */
export const overlayRebase = acting(rebaseCommand);
/** The command of that name. */
export const plan = looking(planCommand);
/** The command of that name. */
export const policyAudit = looking(auditCommand);
/** The command of that name. */
export const policyLint = looking(lintCommand);
/** The command of that name. */
export const policyLock = acting(policyLockCommand);
/** The command of that name. */
export const preview = looking(previewCommand);
/** The command of that name. */
export const remoteSet = acting(remoteCommand);
/** The command of that name. */
export const remove = acting(removeCommand);
/** The command of that name. */
export const score = looking(scoreCommand);
/** The command of that name. */
export const listSnapshots = looking(snapshotsList);
/** The command of that name. */
export const pruneSnapshots = acting(snapshotsPrune);
/** The command of that name. */
export const status = looking(statusCommand);
/** The command of that name. */
export const sync = acting(syncCommand);
/** The command of that name. */
export const update = acting(updateCommand);

/** `record` with what is on standard input. */
export async function record(
  pack: Pack,
  selection: Selection,
  options: { readonly event: string },
): Promise<Answer<RecordData>> {
  const { system } = pack;
  const input = () => new Response(options.event).body ?? new ReadableStream();
  const fed = { ...pack, system: { ...system, terminal: { ...system.terminal, input } } };
  return await acting(recordCommand)(fed, selection);
}

/** `init`; `guided` is what a person answers, null without a guide. */
export async function init(
  pack: Pack,
  selection: Selection,
  options: {
    readonly git: boolean;
    readonly bootstrap: boolean;
    readonly guided: { readonly targets: readonly string[]; readonly scope: string } | null;
  },
): Promise<Answer<InitData>> {
  const { guided, ...flags } = options;
  const lines = guided === null ? [] : [guided.targets.join(","), guided.scope];
  const person = {
    ask: () => Promise.resolve(lines.shift() ?? null),
    edit: () => Promise.resolve(null),
  };
  const input = filled(initCommand.options, { ...flags, guided: guided !== null });
  return await run.act(initCommand, { pack, selection }, input, {
    approve: () => Promise.resolve(),
    person,
  });
}

/** `explain plan`. */
export async function explainPlan(
  pack: Pack,
  selection: Selection,
): Promise<Answer<ExplainPlanData>> {
  const { data, warnings } = await looking(explain)(pack, selection, { kind: "plan" });
  if (!("changes" in data)) throw new Error("This explains no plan");
  return { data, warnings };
}

/** `explain status`. */
export async function explainStatus(
  pack: Pack,
  selection: Selection,
): Promise<Answer<ExplainStatusData>> {
  const { data, warnings } = await looking(explain)(pack, selection, { kind: "status" });
  if (!("drift" in data)) throw new Error("This explains no status");
  return { data, warnings };
}

/** `rollback`, rehearsed. */
export const rehearseRollback = looking(rollbackCommand);

/** `rollback`, carried out. */
export async function rollback(
  pack: Pack,
  selection: Selection,
  options: { readonly to: string },
): Promise<Answer<RollbackData>> {
  const { data, warnings } = await acting(rollbackCommand)(pack, selection, options);
  if (data.event_snapshot_id === null) throw new Error("Nothing was rolled back");
  return { data, warnings };
}
