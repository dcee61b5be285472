/**
 * `plan`, `diff` and `preview` (PACK-28, PACK-52).
 *
 * @module
 */

import { diff as diffOf, plan as planOf, preview as previewOf } from "../../agentpack/mod.ts";
import { declare, type ToolSpec } from "./command.ts";
import { flag } from "./option.ts";
import { changeCounts, changeLine, diffText, isUnchanged, lines } from "./show.ts";
import { DRY_RUN, EVERY_SELECTOR, READS } from "./tool_facts.ts";

const CHECK = flag({ help: "Exit with 3 when a deploy would change something" });

function tool(name: string, title: string, description: string): ToolSpec {
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
  run: ({ pack, selection }) => planOf(pack, selection),
  render: ({ data }) => lines(changeCounts(data.summary), data.changes.map(changeLine)),
  differs: ({ data }) => !isUnchanged(data.summary),
  tools: [
    tool("plan", "Plan a deploy", "Show which files a deploy would create, update and delete."),
  ],
});

/** `diff`. */
export const diff = declare({
  path: ["diff"],
  summary: "Show what a deploy would change inside the files.",
  options: { check: CHECK },
  examples: ["diff", "diff --profile work"],
  run: ({ pack, selection }) => diffOf(pack, selection),
  render: ({ data, files }) =>
    lines(changeCounts(data.summary), files.length === 0 ? null : `\n${diffText(files)}`),
  differs: ({ data }) => !isUnchanged(data.summary),
  tools: [
    tool(
      "diff",
      "Plan with hashes",
      "The plan again; use preview with diff=true for unified diffs.",
    ),
  ],
});

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
  run: ({ pack, selection }, input) => previewOf(pack, selection, input),
  render: ({ data: { plan, diff } }) =>
    lines(
      changeCounts(plan.summary),
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
