/** `rollback` (PACK-35). */

import { basename } from "@std/path";
import { pathBelow } from "../../../base/paths.ts";
import { bytesOf, type Content, hashOf } from "../content.ts";
import { type Act, declare, type Look, members } from "../declare/command.ts";
import { requiredText } from "../declare/option.ts";
import { changeLine, diffText, lines } from "../declare/show.ts";
import { MUST_SAY_YES } from "../declare/tool_facts.ts";
import { planRollback, rollBack, type RollbackPlan } from "../engine/rollback.ts";
import { encodeText } from "../bytes.ts";
import { contentAt, diffOf, type FileDiff, maskedDiff } from "../engine/file_diff.ts";
import type { After } from "../engine/transaction.ts";
import { isManifestName } from "../engine/target_manifest.ts";
import { posix, type Twins, withPosix } from "../io.ts";
import { sharedFileAt } from "../target/shared_files.ts";
import type { TargetName } from "../names.ts";
import type { Answer } from "../pack.ts";

interface RollbackChange extends Twins<"path"> {
  readonly target: TargetName;
  readonly op: "rollback_restore" | "rollback_delete";
  readonly before_sha256: string | null;
  readonly after_sha256: string | null;
  /** The file was edited since it was deployed, which the rollback discards. */
  readonly locally_modified?: true;
}

/** `data` of `rollback`. */
export interface RollbackData {
  readonly rolled_back_to: string;
  /** The id of the rollback's own record. */
  readonly event_snapshot_id: string;
}

/** `data` of a dry run. */
interface RollbackPlanData {
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
    changes: plan.writes.map(({ target, path, expected, after, edited }) => ({
      target,
      op: after.kind === "absent" ? "rollback_delete" : "rollback_restore",
      ...withPosix("path", path),
      before_sha256: expected ?? null,
      after_sha256: after.kind === "file" ? hashOf(after.bytes) : null,
      ...(edited === true ? { locally_modified: true as const } : {}),
    })),
  };
}

async function rollbackPlan({ pack, home }: Look, to: string): Promise<Planned> {
  const plan = await planRollback(pack, home, to);
  const files: FileDiff[] = [];
  for (const { target, path, root, expected, after, entries } of plan.writes) {
    // A manifest only repeats the list of changes.
    if (isManifestName(basename(path))) continue;
    const before = expected === null || expected === undefined
      ? new Uint8Array()
      : await contentAt(pack.system.files, path);
    const diff = writtenDiff({ target, path, root, before, after });
    const shared = entries === undefined ? null : sharedFileAt(target, basename(path));
    const kept = [before, after.kind === "file" ? after.bytes : new Uint8Array()];
    files.push(
      shared === null || diff.unified === undefined
        ? diff
        : { ...diff, unified: await maskedDiff(shared, diff.unified, kept) },
    );
  }
  return { data: planned(to, plan), warnings: plan.warnings, files };
}

/** What would change, with what changes inside the files for people. */
type Planned = Answer<RollbackPlanData> & { readonly files: readonly FileDiff[] };

function writtenDiff({ target, path, root, before, after }: {
  readonly target: TargetName;
  readonly path: string;
  readonly root: string;
  readonly before: Content;
  readonly after: After;
}): FileDiff {
  const relative = pathBelow(root, path) ?? path;
  const bytes = after.kind === "file"
    ? after.bytes
    : encodeText(after.kind === "symlink" ? `-> ${after.link}\n` : "");
  const isGone = after.kind === "absent";
  const unified = diffOf(isGone ? "delete" : "update", posix(relative), before, bytes);
  return {
    target,
    op: isGone ? "delete" : bytesOf(before)?.length === 0 ? "create" : "update",
    ...withPosix("root", root),
    ...withPosix("path", relative),
    before_hash: null,
    after_hash: null,
    ...(unified === null ? {} : { unified }),
  };
}

/** A rollback that was made, or that would be. */
type Shown = Answer<RollbackData | RollbackPlanData> & { readonly files?: readonly FileDiff[] };

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
  look: (call, { to }): Promise<Shown> => rollbackPlan(call, to),
  act: (call, { to }): Promise<Shown> => restore(call, to),
  answers: members<RollbackData | RollbackPlanData>(
    "rolled_back_to",
    "event_snapshot_id",
    "reason",
    "changes",
  ),
  render: ({ data, files = [] }) =>
    "changes" in data
      ? lines(
        data.changes.length === 0
          ? `Everything is as it was at ${data.rolled_back_to}`
          : `Rolling back to ${data.rolled_back_to}:`,
        // The manifests only list what the other lines say.
        data.changes.filter(({ path }, _, all) =>
          !isManifestName(basename(path)) || all.every((one) => isManifestName(basename(one.path)))
        ).map(changeLine),
        files.length === 0 ? null : `\n${diffText(files)}`,
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
