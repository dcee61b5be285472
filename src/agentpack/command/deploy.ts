/**
 * `plan`, `diff`, `preview` and `deploy` (PACK-28, PACK-36, PACK-52).
 *
 * @module
 */

import { sha256 } from "../../hash.ts";
import { canonicalJson } from "../../policy/fingerprint.ts";
import {
  applyDeployment,
  checkAdoption,
  type Deployment,
  prepareDeployment,
} from "../engine/deployment.ts";
import { type FileDiff, fileDiffs } from "../engine/file_diff.ts";
import { type HeldLock, withHomeLock } from "../engine/lock.ts";
import type { Change, ChangeSummary } from "../engine/plan.ts";
import { homeOf } from "../identity/home.ts";
import { machineId } from "../identity/machine.ts";
import { detectProject } from "../identity/project.ts";
import type { TargetName } from "../names.ts";
import type { Answer, Approve, Pack, Selection } from "../pack.ts";

/** `data` of `plan` and of `diff`. */
export interface PlanData {
  readonly profile: string;
  readonly targets: readonly TargetName[];
  readonly changes: readonly Change[];
  readonly summary: ChangeSummary;
}

/** `data` of `preview`. */
export interface PreviewData {
  readonly profile: string;
  readonly targets: readonly TargetName[];
  readonly plan: { readonly changes: readonly Change[]; readonly summary: ChangeSummary };
  /** Present with `diff`. */
  readonly diff?: {
    readonly changes: readonly Change[];
    readonly summary: ChangeSummary;
    readonly files: readonly FileDiff[];
  };
}

/** `data` of `deploy`. */
export interface DeployData extends PlanData {
  readonly applied: boolean;
  /** The id of the snapshot, when something was applied. */
  readonly snapshot_id?: string;
  /** Why nothing was applied although it was asked for. */
  readonly reason?: "no_changes";
}

function planData({ session, plan }: Pick<Deployment, "session" | "plan">): PlanData {
  return {
    profile: session.profile,
    targets: session.targets,
    changes: plan.changes,
    summary: plan.summary,
  };
}

/** What a deploy would change. */
export async function plan(pack: Pack, selection: Selection): Promise<Answer<PlanData>> {
  const deployment = await prepareDeployment(pack, selection);
  return { data: planData(deployment), warnings: deployment.warnings };
}

/** The plan again, and a unified diff per change for people. */
export async function diff(
  pack: Pack,
  selection: Selection,
): Promise<Answer<PlanData> & { readonly files: readonly FileDiff[] }> {
  const deployment = await prepareDeployment(pack, selection);
  const diffs = await fileDiffs(deployment);
  return {
    data: planData(deployment),
    warnings: [...deployment.warnings, ...diffs.warnings],
    files: diffs.files,
  };
}

/** The plan, with `diff` also what changes inside the files. */
export async function preview(
  pack: Pack,
  selection: Selection,
  options: { readonly diff: boolean },
): Promise<Answer<PreviewData>> {
  const deployment = await prepareDeployment(pack, selection);
  const { profile, targets, changes, summary } = planData(deployment);
  const data = { profile, targets, plan: { changes, summary } };
  if (!options.diff) return { data, warnings: deployment.warnings };
  const diffs = await fileDiffs(deployment);
  return {
    data: { ...data, diff: { changes, summary, files: diffs.files } },
    warnings: [...deployment.warnings, ...diffs.warnings],
  };
}

/** A deploy that is not carried out: its plan, and the deployment that {@linkcode carryOut} takes. */
export async function deployPlan(
  pack: Pack,
  selection: Selection,
): Promise<Answer<DeployData> & { readonly deployment: Deployment }> {
  const deployment = await prepareDeployment(pack, selection);
  return {
    data: { applied: false, ...planData(deployment) },
    warnings: deployment.warnings,
    deployment,
  };
}

/** The resolved inputs that select a plan: whatever was left out or written otherwise, they are the same. */
export interface Binding {
  readonly repo: string;
  readonly profile: string;
  readonly target: string;
  readonly machine: string;
  readonly project: string;
}

/** What a call is bound to, without a look at the configuration. At most two git processes. */
export async function bindingOf(pack: Pack, selection: Selection): Promise<Binding> {
  const { env } = pack.system;
  return {
    repo: homeOf(env, selection.repo).repo,
    profile: selection.profile ?? "default",
    target: selection.target ?? "all",
    machine: machineId(env, selection.machine),
    project: (await detectProject(pack, selection.project)).root,
  };
}

/**
 * The hash that binds a confirmation to a planned deploy (PACK-47): to the resolved inputs that
 * select the plan, and to everything the plan says, each change with its hashes.
 */
export function planHash({ session, plan }: Deployment): string {
  const binding: Binding = {
    repo: session.home.repo,
    profile: session.profile,
    target: session.filter,
    machine: session.machineId,
    project: session.project.root,
  };
  return sha256(canonicalJson({
    binding,
    data: { applied: false, ...planData({ session, plan }) },
  }));
}

/**
 * Carries out exactly a planned deploy, under the lock of the home. Throws `E_ADOPT_CONFIRM_REQUIRED`,
 * `E_PLAN_STALE`, `E_IO_*`.
 */
export async function carryOut(
  held: HeldLock,
  deployment: Deployment,
  options: { readonly adopt: boolean },
): Promise<Answer<DeployData>> {
  if (!options.adopt) checkAdoption(deployment.plan);
  const applied = await applyDeployment(held, deployment);
  const warnings = [...held.warnings, ...deployment.warnings, ...applied.warnings];
  const data = planData(deployment);
  return {
    data: applied.snapshotId === null
      ? { applied: false, reason: "no_changes", ...data }
      : { applied: true, snapshot_id: applied.snapshotId, ...data },
    warnings,
  };
}

/**
 * Plans under the lock, asks for approval, and carries out what was planned (PACK-36): confirmation
 * comes before the adopt check, and that before the check for nothing to do.
 */
export async function deployApply(
  pack: Pack,
  selection: Selection,
  options: { readonly adopt: boolean; readonly approve: Approve },
): Promise<Answer<DeployData>> {
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(pack.system, home, async (held) => {
    const deployment = await prepareDeployment(pack, selection);
    await options.approve("deploy --apply", { applied: false, ...planData(deployment) });
    return await carryOut(held, deployment, options);
  });
}
