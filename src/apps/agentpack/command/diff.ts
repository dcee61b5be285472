/** `diff`: what a deploy would change inside the files (PACK-52). */

import { declare, type Look, members } from "../declare/command.ts";
import { changeCounts, changeLine, diffText, isUnchanged, lines } from "../declare/show.ts";
import { prepareDeployment } from "../engine/deployment.ts";
import { type FileDiff, fileDiffs } from "../engine/differences.ts";
import type { Answer } from "../pack.ts";
import { CHECK, type PlanData, planData, tool } from "./plan.ts";

/** The plan again, and a unified diff per change for people. */
async function diffed(
  { pack, selection }: Look,
): Promise<Answer<PlanData> & { readonly files: readonly FileDiff[] }> {
  const deployment = await prepareDeployment(pack, selection);
  const diffs = await fileDiffs(deployment);
  return {
    data: planData(deployment),
    warnings: [...deployment.warnings, ...diffs.warnings],
    files: diffs.files,
  };
}

/** `diff`. */
export const diff = declare({
  path: ["diff"],
  summary: "Show what a deploy would change inside the files.",
  options: { check: CHECK },
  examples: ["diff", "diff --profile work"],
  look: diffed,
  answers: members<PlanData>("profile", "targets", "changes", "summary"),
  render: ({ data, files }) =>
    lines(
      changeCounts(data.summary),
      // A diff does not say what runs because of it.
      data.changes.filter(({ entries }) => entries).map(changeLine),
      files.length === 0 ? null : `\n${diffText(files)}`,
    ),
  differs: ({ data }) => !isUnchanged(data.summary),
  tools: [
    tool(
      "diff",
      "Plan with hashes",
      "The plan again; use preview with diff=true for unified diffs.",
    ),
  ],
});
