/**
 * `rollback` (PACK-35).
 *
 * @module
 */

import { sha256 } from "../../hash.ts";
import { type Act, declare, type Look, members } from "../declare/command.ts";
import { requiredText } from "../declare/option.ts";
import { changeLine, lines } from "../declare/show.ts";
import { MUST_SAY_YES } from "../declare/tool_facts.ts";
import { planRollback, rollBack, type RollbackPlan } from "../engine/rollback.ts";
import { posix } from "../io.ts";
import type { TargetName } from "../names.ts";
import type { Answer } from "../pack.ts";

/** One destination that a rollback changes. */
export interface RollbackChange {
  readonly target: TargetName;
  readonly op: "rollback_restore" | "rollback_delete";
  readonly path: string;
  readonly path_posix: string;
  readonly before_sha256: string | null;
  readonly after_sha256: string | null;
}

/** `data` of `rollback`. */
export interface RollbackData {
  readonly rolled_back_to: string;
  /** The id of the rollback's own record. */
  readonly event_snapshot_id: string;
}

/** `data` of a dry run. */
export interface RollbackPlanData {
  readonly rolled_back_to: string;
  readonly event_snapshot_id: null;
  readonly reason: "dry_run";
  /** What would change. */
  readonly changes: readonly RollbackChange[];
}

function planned(to: string, plan: RollbackPlan): RollbackPlanData {
  return {
    rolled_back_to: to,
    event_snapshot_id: null,
    reason: "dry_run",
    changes: plan.writes.map(({ target, path, expected, after }) => ({
      target,
      op: after.kind === "absent" ? "rollback_delete" : "rollback_restore",
      path,
      path_posix: posix(path),
      before_sha256: expected ?? null,
      after_sha256: after.kind === "file" ? sha256(after.bytes) : null,
    })),
  };
}

/** What a rollback would change. */
async function rollbackPlan({ pack, home }: Look, to: string): Promise<Answer<RollbackPlanData>> {
  const plan = await planRollback(pack, home, to);
  return { data: planned(to, plan), warnings: plan.warnings };
}

/** Rolls back to a snapshot; only its id decides, profile and target are ignored. */
async function restore(
  { pack, home, held, approve }: Act,
  to: string,
): Promise<Answer<RollbackData>> {
  const plan = await planRollback(pack, home, to);
  await approve(planned(to, plan));
  return {
    data: { rolled_back_to: to, event_snapshot_id: await rollBack(pack, held, plan) },
    warnings: plan.warnings,
  };
}

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
  changes: { asks: "first" },
  look: (call, { to }): Promise<Answer<RollbackData | RollbackPlanData>> => rollbackPlan(call, to),
  act: (call, { to }): Promise<Answer<RollbackData | RollbackPlanData>> => restore(call, to),
  answers: members<RollbackData | RollbackPlanData>(
    "rolled_back_to",
    "event_snapshot_id",
    "reason",
    "changes",
  ),
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
