/** `preview`: the plan, on request with what changes inside the files (PACK-52). */

import { declare, flag, type Look, members } from "../declare/command.ts";
import { changeCounts, changeLine, diffText, lines } from "../declare/show.ts";
import { prepareDeployment } from "../engine/deployment.ts";
import { type FileDiff, fileDiffs } from "../engine/differences.ts";
import type { Change, ChangeSummary } from "../engine/plan.ts";
import type { TargetName } from "../names.ts";
import type { Answer } from "../pack.ts";

import { planData, tool } from "./plan.ts";

/** `data` of `preview`. */
interface PreviewData {
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

/** The plan, with `diff` also what changes inside the files. */
async function previewed(
  { pack, selection }: Look,
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

/** `preview`. */
export const preview = declare({
  path: ["preview"],
  summary: "Show the plan, with --diff also what changes inside the files.",
  options: {
    diff: flag({
      help: "Include unified diffs",
      schema: {
        type: "boolean",
        default: false,
        description: "Include diffs (like `agentpack preview --diff`).",
      },
    }),
  },
  examples: ["preview --diff", "preview --diff --json"],
  look: previewed,
  answers: members<PreviewData>("profile", "targets", "plan", "diff"),
  render: ({ data: { plan, diff } }) =>
    lines(
      changeCounts(plan.summary),
      // A diff does not say what runs because of it.
      diff === undefined ? null : plan.changes.filter(({ entries }) => entries).map(changeLine),
      diff === undefined
        ? plan.changes.map(changeLine)
        : diff.files.length === 0
        ? null
        : `\n${diffText(diff.files)}`,
    ),
  tools: [{
    ...tool("preview", "Preview a deploy", "The plan, and with diff=true a unified diff per file."),
    takes: ["diff"],
  }],
});
