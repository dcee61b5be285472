/** `rollback` (PACK-35). */

import { basename } from "@std/path";
import { pathBelow } from "../../../base/paths.ts";
import { bytesOf, type Content, encodeText, hashOf } from "../content.ts";
import {
  type Act,
  declare,
  type Look,
  members,
  MUST_SAY_YES,
  requiredText,
} from "../declare/command.ts";
import { changeLine, diffText, lines } from "../declare/show.ts";
import { contentAt, diffOf, type FileDiff, maskedDiff } from "../engine/differences.ts";
import { commit, newSnapshotId, type Write } from "../engine/transaction.ts";
import { fileKey, rootOf } from "../engine/roots.ts";
import { isManifestName, manifestPath } from "../engine/target_manifest.ts";
import { posix, type Twins, withPosix } from "../io.ts";
import { sharedFileAt } from "../target/shared_files.ts";
import { formatNanos, isTargetName, type TargetName } from "../names.ts";
import type { Answer, Pack } from "../pack.ts";
import { defined } from "../../../base/object.ts";
import { AgentpackError } from "../error.ts";
import type { Home } from "../identity.ts";
import { type After, emptied } from "../engine/disk.ts";
import { type Copy, damaged, History, type TargetRoot } from "../engine/history.ts";
import type { HeldLock } from "../engine/journal.ts";
import { planRoot, type RootPlan } from "../engine/rollback_plan.ts";
import {
  compareIds,
  isComplete,
  isSnapshotId,
  listRecords,
  type RecordedChange,
  type SnapshotRecord,
} from "../engine/snapshot.ts";

// Brings the state of an earlier snapshot back (PACK-35).
//
// Only the snapshot's own roots are touched: those of all targets that were configured in its project then. Of
// targets that its run was not for, files get the content they had by then, and none is deleted. For the other
// targets:
//
// - Files that were managed then get their content and mode of then.
// - Files that later runs created are deleted.
// - Files that later runs took over from somebody come back as they were.
// - Files that nobody recorded as ours are left alone.
//
// Everything replaced is backed up first.

/** What a rollback would do. */
interface RollbackPlan {
  readonly goal: SnapshotRecord;
  readonly territory: readonly TargetRoot[];
  readonly writes: readonly Write[];
  readonly copies: readonly Copy[];
  /** Directories to remove in the end if they are empty, the innermost first. */
  readonly prune: readonly string[];
  readonly warnings: readonly string[];
}

/** Plans a rollback to a snapshot, and changes nothing. Throws `E_SNAPSHOT_NOT_FOUND` or `E_SNAPSHOT_INVALID`. */
export async function planRollback(pack: Pack, home: Home, to: string): Promise<RollbackPlan> {
  const { files } = pack.system;
  const list = await listRecords(files, home);
  const records = list.records.map(({ record }) => record);
  const goal = findGoal(records, to);
  const history = new History(files, home, records);
  const territory = history.territory(goal);
  const kept = await history.keptContents(goal);
  const since = kept ? history.firstChangesSince(to) : lineOfHistory(history, records, to);
  const plans: RootPlan[] = [];
  for (const place of territory) {
    const changes = [...since.values()].filter((change) =>
      change.target === place.target &&
      rootOf(territory, place.target, change.path)?.root === place.root
    );
    const covered = isCovered(goal, place);
    plans.push(await planRoot({ files, history, goal: to, place, changes, kept, covered }));
  }
  return {
    goal,
    territory,
    writes: plans.flatMap((plan) => plan.writes),
    copies: plans.flatMap((plan) => plan.copies),
    prune: madeSince(history.since(to), territory),
    warnings: [...list.warnings, ...plans.flatMap((plan) => plan.warnings)],
  };
}

/** Carries a planned rollback out; answers the id of its own record. */
export async function rollBack(pack: Pack, held: HeldLock, plan: RollbackPlan): Promise<string> {
  const nanos = await newSnapshotId(pack, held);
  const id = String(nanos);
  await commit(pack, held, {
    id,
    writes: plan.writes,
    copies: plan.copies,
    prune: plan.prune,
    record: rollbackRecord(plan.goal, plan.territory, id, formatNanos(nanos)),
  });
  return id;
}

function findGoal(records: readonly SnapshotRecord[], to: string): SnapshotRecord {
  const goal = isSnapshotId(to) ? records.find((record) => record.id === to) : undefined;
  if (goal === undefined) {
    const available = records.filter((record) => record.kind !== "rollback" && isComplete(record))
      .map((record) => record.id).sort(compareIds).slice(-20).reverse();
    throw new AgentpackError("E_SNAPSHOT_NOT_FOUND", `There is no snapshot "${to}"`, {
      snapshot_id: to,
      available,
      hint: available.length === 0
        ? "Nothing was deployed yet that could be brought back"
        : `Go back to the newest: rollback --to ${available[0]}`,
    });
  }
  if (goal.kind === "rollback") {
    const further = goal.rolled_back_to ?? null;
    throw new AgentpackError(
      "E_SNAPSHOT_INVALID",
      `Cannot roll back to ${to}: it is itself a rollback, to ${further}`,
      { snapshot_id: to, rolled_back_to: further },
    );
  }
  if (!isComplete(goal)) {
    throw new AgentpackError(
      "E_SNAPSHOT_INVALID",
      `Cannot roll back to ${to}: it was not carried out`,
      { snapshot_id: to, status: goal.status },
    );
  }
  return goal;
}

/**
 * The directories that runs made for files of a territory, the innermost first. Those that were there before
 * are not among them, even if they were empty; records of other tools do not tell them apart.
 */
function madeSince(records: readonly SnapshotRecord[], territory: readonly TargetRoot[]): string[] {
  const made = records.flatMap((record) => {
    const files = record.changes.flatMap(({ target, path }) => {
      const place = isTargetName(target) ? rootOf(territory, target, path) : null;
      return place === null ? [] : [{ root: place.root, path }];
    });
    return record.created_directories?.filter((directory) =>
      files.some(({ path }) => pathBelow(directory, path) !== null)
    ) ?? emptied(files);
  });
  return [...new Set(made)].sort((a, b) => b.length - a.length);
}

/** Whether a record is of a run for a root's target, so that what it does not list there was not there. */
function isCovered(record: SnapshotRecord, place: TargetRoot): boolean {
  const filter = record.kind === "deploy" ? record.target_filter : undefined;
  if (filter !== undefined) return filter === "all" || filter === place.target;
  const manifest = manifestPath(place.root, place.target);
  return record.changes.some((change) => change.path === manifest);
}

/**
 * The first changes since a goal that kept no contents, along the line of records from it to the present. What
 * a rollback undid is not on that line. Throws `E_SNAPSHOT_INVALID` when the goal is not on it either.
 */
function lineOfHistory(
  history: History,
  records: readonly SnapshotRecord[],
  to: string,
): ReadonlyMap<string, RecordedChange> {
  const parents = new Map<string, string | null>();
  let head: string | null = null;
  for (const record of records.filter(isComplete)) {
    if (record.kind === "rollback") head = record.rolled_back_to ?? null;
    else {
      parents.set(record.id, head);
      head = record.id;
    }
  }
  const line: SnapshotRecord[] = [];
  while (head !== to) {
    const record: SnapshotRecord | null = head === null ? null : history.find(head);
    if (record === null) {
      throw damaged(to, to, "it kept no contents, and what happened since cannot be followed");
    }
    line.unshift(record);
    head = parents.get(record.id) ?? null;
  }
  const first = new Map<string, RecordedChange>();
  for (const change of line.flatMap((record) => record.changes)) {
    if (!isTargetName(change.target)) continue;
    const key = fileKey(change.target, change.path);
    if (!first.has(key)) first.set(key, change);
  }
  return first;
}

function rollbackRecord(
  goal: SnapshotRecord,
  territory: readonly TargetRoot[],
  id: string,
  createdAt: string,
): SnapshotRecord {
  return {
    kind: "rollback",
    id,
    created_at: createdAt,
    targets: goal.targets,
    managed_files: goal.managed_files,
    ...defined({ managed_entries: goal.managed_entries }),
    changes: [],
    rolled_back_to: goal.id,
    lockfile_sha256: goal.lockfile_sha256 ?? null,
    backup_root: "",
    schema_version: 1,
    repo: goal.repo,
    project_root: goal.project_root,
    project_id: goal.project_id,
    machine_id: goal.machine_id,
    profile: goal.profile,
    target_filter: goal.target_filter,
    roots: territory.map(({ target, root }) => ({ target, root })),
  };
}

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

async function rollbackPlan(
  { pack, home }: Look,
  to: string,
): Promise<Answer<RollbackPlanData> & { readonly files: readonly FileDiff[] }> {
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
