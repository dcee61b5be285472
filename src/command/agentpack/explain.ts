/**
 * `explain plan`, `explain diff` and `explain status` (PACK-51).
 *
 * @module
 */

import {
  type Answer,
  explainPlan,
  type ExplainPlanData,
  explainStatus,
  type ExplainStatusData,
} from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { choiceArgument } from "./option.ts";
import { changeLine, lines, shownPath } from "./show.ts";
import { EVERY_SELECTOR, READS } from "./tool_facts.ts";

function origin(module: ExplainPlanData["changes"][number]["modules"][number]): string {
  const facts = [module.layer, module.module_path].filter((fact) => fact !== null);
  return `      ${module.module_id}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

/** `explain`. */
export const explain = declare({
  path: ["explain"],
  variant: "kind",
  summary: "Say which module and which layer each change or difference comes from.",
  options: {
    kind: choiceArgument(["plan", "diff", "status"], {
      help: "What to explain",
      schema: {
        type: "string",
        enum: ["plan", "diff", "status"],
        description: "Maps to `agentpack explain <kind> --json`.",
      },
    }),
  },
  examples: ["explain plan", "explain status --json"],
  run: (
    { pack, selection },
    { kind },
  ): Promise<Answer<ExplainPlanData | ExplainStatusData>> =>
    kind === "status" ? explainStatus(pack, selection) : explainPlan(pack, selection),
  render: ({ data }) =>
    "changes" in data
      ? data.changes.length === 0
        ? "Nothing would change"
        : data.changes.map((change) => lines(changeLine(change), change.modules.map(origin))).join(
          "\n",
        )
      : data.drift.length === 0
      ? "Deployed files are as they should be"
      : lines(
        data.drift.map((item) =>
          `  ${item.kind}  ${item.target}  ${shownPath(item.path)}  ${item.modules.join(", ")}`
        ),
      ),
  tools: [{
    name: "explain",
    title: "Explain a plan or drift",
    description: "For each change or difference: the module, overlay layer and source file.",
    selecting: EVERY_SELECTOR,
    takes: ["kind"],
    required: ["kind"],
    hints: READS,
  }],
});
