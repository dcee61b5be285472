/**
 * `rollback` (PACK-35).
 *
 * @module
 */

import {
  type Answer,
  rollback as rollBack,
  type RollbackData,
  rollbackPlan,
  type RollbackPlanData,
} from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { requiredText } from "./option.ts";
import { changeLine, lines } from "./show.ts";
import { MUST_SAY_YES } from "./tool_facts.ts";

/** `rollback`. */
export const rollback = declare({
  path: ["rollback"],
  summary: "Bring the files of an earlier snapshot back.",
  description:
    "Only the roots of that snapshot are touched. What is replaced is backed up, so that a rollback can itself be rolled back. snapshots list shows the ids.",
  options: {
    to: requiredText({
      help: "The snapshot",
      value: "ID",
      schema: { type: "string", description: "Snapshot id to rollback to." },
    }),
  },
  examples: ["rollback --to 1770106530123456789", "rollback --to 1770106530123456789 --dry-run"],
  changes: (_, dryRun) => dryRun ? null : { id: "rollback", asks: "first" },
  rehearses: true,
  run: (
    { pack, selection, dryRun, approve },
    { to },
  ): Promise<Answer<RollbackData | RollbackPlanData>> =>
    dryRun ? rollbackPlan(pack, selection, { to }) : rollBack(pack, selection, { to, approve }),
  render: ({ data }) =>
    "changes" in data
      ? lines(
        data.changes.length === 0
          ? `Everything is as it was at ${data.rolled_back_to}`
          : `Rolling back to ${data.rolled_back_to}:`,
        data.changes.map(changeLine),
      )
      : `Rolled back to ${data.rolled_back_to}: snapshot ${data.event_snapshot_id}`,
  isIdle: ({ data }) => "changes" in data && data.changes.length === 0,
  tools: [{
    name: "rollback",
    title: "Roll back to a snapshot",
    description:
      "Brings the files of an earlier snapshot back, overwriting edits made since. Needs yes=true once the person has agreed.",
    selecting: ["repo"],
    takes: ["to"],
    more: { yes: MUST_SAY_YES },
    required: ["to", "yes"],
    hints: { reads: false, destroys: true, idempotent: true, openWorld: false },
  }],
});
