/** `explain plan`, `explain diff` and `explain status` (PACK-51). */

import { declare, EVERY_SELECTOR, members, READS } from "../../declare/command.ts";
import { choiceArgument } from "../../declare/option.ts";
import type { Answer } from "../../pack.ts";
import { explainPlan, type ExplainPlanData, renderPlan } from "./plan.ts";
import { explainStatus, type ExplainStatusData, renderStatus } from "./status.ts";

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
  look: (call, { kind }): Promise<Answer<ExplainPlanData | ExplainStatusData>> =>
    kind === "status" ? explainStatus(call) : explainPlan(call),
  answers: {
    plan: members<ExplainPlanData>("profile", "targets", "changes"),
    status: members<ExplainStatusData>("profile", "targets", "drift"),
  },
  render: ({ data }) => "changes" in data ? renderPlan(data) : renderStatus(data),
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
