/**
 * `deploy`: shows the plan, or carries it out under the lock of the home (PACK-36, PACK-47).
 *
 * @module
 */

import { declare } from "../declare/command.ts";
import { flag } from "../declare/option.ts";
import {
  changeCounts,
  changeLine,
  diffText,
  isUnchanged,
  lines,
  withWarnings,
} from "../declare/show.ts";
import { DRY_RUN, EVERY_SELECTOR, MUST_SAY_YES, READS } from "../declare/tool_facts.ts";
import {
  applyDeployment,
  checkAdoption,
  type Deployment,
  prepareDeployment,
} from "../engine/deployment.ts";
import { type FileDiff, fileDiffs } from "../engine/file_diff.ts";
import { type HeldLock, withHomeLock } from "../engine/lock.ts";
import { homeOf } from "../identity/home.ts";
import type { Answer, Approve, Pack, Selection } from "../pack.ts";
import { type PlanData, planData } from "./plan.ts";

/** `data` of `deploy`. */
export interface DeployData extends PlanData {
  readonly applied: boolean;
  /** The id of the snapshot, when something was applied. */
  readonly snapshot_id?: string;
  /** Why nothing was applied although it was asked for. */
  readonly reason?: "no_changes";
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

/** An answer with the diffs that a person is shown before the question. */
type Deployed = Answer<DeployData> & { readonly files?: readonly FileDiff[] };

/** The changes as a list, then inside the files. */
function planText(
  { changes, summary }: Pick<DeployData, "changes" | "summary">,
  files: readonly FileDiff[],
): string {
  return lines(
    changeCounts(summary),
    changes.map(changeLine),
    files.length === 0 ? null : `\n${diffText(files)}`,
  );
}

function rendered({ data, files }: Deployed): string {
  if (data.applied) {
    return lines(`Deployed: snapshot ${data.snapshot_id}`, data.changes.map(changeLine));
  }
  return data.reason === "no_changes" ? "Nothing to change" : planText(data, files ?? []);
}

/** A planned deploy as a person sees it before they agree. */
export async function shownDeployment(deployment: Deployment): Promise<string> {
  const { files, warnings } = await fileDiffs(deployment);
  return withWarnings(planText(deployment.plan, files), [...deployment.warnings, ...warnings]);
}

/** `deploy`. */
export const deployCommand = declare({
  path: ["deploy"],
  summary: "Show what a deploy would change; with --apply, carry it out.",
  description:
    "Files that were there before are never overwritten without --adopt. Every deploy leaves a snapshot that rollback can bring back.",
  options: {
    apply: flag({ help: "Carry the plan out" }),
    adopt: flag({
      help: "Overwrite existing files that are not managed",
      schema: {
        type: "boolean",
        default: false,
        description: "Allow overwriting existing unmanaged files (adopt updates).",
      },
    }),
  },
  examples: ["deploy", "deploy --apply", "deploy --apply --adopt --yes --json"],
  id: ({ apply }, dryRun) => apply && !dryRun ? "deploy --apply" : "deploy",
  changes: ({ apply }, dryRun) => apply && !dryRun ? { id: "deploy --apply", asks: "late" } : null,
  rehearses: true,
  async run({ pack, selection, dryRun, approve }, { apply, adopt }): Promise<Deployed> {
    if (apply && !dryRun) return await deployApply(pack, selection, { adopt, approve });
    const { data, warnings, deployment } = await deployPlan(pack, selection);
    if (!apply) return { data, warnings };
    const diffs = await fileDiffs(deployment);
    return { data, warnings: [...warnings, ...diffs.warnings], files: diffs.files };
  },
  render: rendered,
  isIdle: ({ data }) => isUnchanged(data.summary),
  tools: [{
    name: "deploy",
    title: "Plan a deploy and get a token",
    description:
      "Step 1 of a deploy: the plan, and a confirm_token for deploy_apply. Show the plan to the person first. Writes nothing.",
    selecting: EVERY_SELECTOR,
    takes: [],
    more: { dry_run: DRY_RUN },
    hints: { ...READS, idempotent: false },
  }, {
    name: "deploy_apply",
    title: "Apply a reviewed deploy",
    description:
      "Step 2 of a deploy: writes exactly the plan that deploy showed. Needs its confirm_token, the same arguments, and yes=true once the person has agreed.",
    selecting: EVERY_SELECTOR,
    takes: ["adopt"],
    more: {
      dry_run: {
        ...DRY_RUN,
        description:
          "Force dry-run behavior (do not apply even if this tool is the apply variant).",
      },
      confirm_token: {
        type: "string",
        description: "Token returned by the deploy tool; binds the apply to the reviewed plan.",
      },
      yes: MUST_SAY_YES,
    },
    required: ["yes", "confirm_token"],
    fixed: { apply: true },
    hints: { reads: false, destroys: true, idempotent: false, openWorld: true },
  }],
});
