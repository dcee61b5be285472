/** `plan`: what a deploy would change (PACK-28). */

import {
  declare,
  DRY_RUN,
  EVERY_SELECTOR,
  flag,
  members,
  READS,
  type ToolSpec,
} from "../declare/command.ts";
import { changeCounts, changeLine, isUnchanged, lines } from "../declare/show.ts";
import { type Deployment, prepareDeployment } from "../engine/deployment.ts";
import type { Change, ChangeSummary } from "../engine/plan.ts";
import type { TargetName } from "../names.ts";
import type { Answer } from "../pack.ts";

/** `data` of `plan` and of `diff`. */
export interface PlanData {
  readonly profile: string;
  readonly targets: readonly TargetName[];
  readonly changes: readonly Change[];
  readonly summary: ChangeSummary;
}

/** What a deployment would change, as the answers say it. */
export function planData({ session, plan }: Pick<Deployment, "session" | "plan">): PlanData {
  return {
    profile: session.profile,
    targets: session.targets,
    changes: plan.changes,
    summary: plan.summary,
  };
}

/** Turns what would change into an exit code. */
export const CHECK = flag({ help: "Exit with 3 when a deploy would change something" });

/** A tool that shows a plan. */
export function tool(name: string, title: string, description: string): ToolSpec {
  return {
    name,
    title,
    description,
    selecting: EVERY_SELECTOR,
    takes: [],
    more: { dry_run: DRY_RUN },
    hints: READS,
  };
}

/** `plan`. */
export const plan = declare({
  path: ["plan"],
  summary: "Show what a deploy would create, update and delete.",
  options: { check: CHECK },
  examples: ["plan", "plan --target codex --json", "plan --check"],
  async look({ pack, selection }): Promise<Answer<PlanData>> {
    const deployment = await prepareDeployment(pack, selection);
    return { data: planData(deployment), warnings: deployment.warnings };
  },
  answers: members<PlanData>("profile", "targets", "changes", "summary"),
  render: ({ data }) => lines(changeCounts(data.summary), data.changes.map(changeLine)),
  differs: ({ data }) => !isUnchanged(data.summary),
  tools: [
    tool("plan", "Plan a deploy", "Show which files a deploy would create, update and delete."),
  ],
});
