/**
 * `deploy` (PACK-36, PACK-47).
 *
 * @module
 */

import {
  type Answer,
  deployApply,
  type DeployData,
  type Deployment,
  deployPlan,
  type FileDiff,
  fileDiffs,
} from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { flag } from "./option.ts";
import { changeCounts, changeLine, diffText, isUnchanged, lines, withWarnings } from "./show.ts";
import { DRY_RUN, EVERY_SELECTOR, MUST_SAY_YES, READS } from "./tool_facts.ts";

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
export const deploy = declare({
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
