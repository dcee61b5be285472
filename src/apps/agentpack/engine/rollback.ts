/**
 * Brings the state of an earlier snapshot back (PACK-35).
 *
 * Only the snapshot's own roots are touched: those of all targets that were configured in its project then.
 * Of targets that its run was not for, files are given back what they had by then, and none is deleted. Else,
 * files that were managed then get their content and mode of then; files that later runs created go; files
 * that later runs took over from somebody come back as they were; files that nobody recorded as ours are left
 * alone. Everything replaced is backed up first.
 */

import { pathBelow } from "../../../base/paths.ts";
import { defined } from "../../../base/object.ts";
import { AgentpackError } from "../error.ts";
import type { Home } from "../identity/home.ts";
import { isTargetName } from "../names.ts";
import type { Pack } from "../pack.ts";
import { formatNanos } from "../time.ts";
import { emptied } from "./disk.ts";
import { damaged, History, type TargetRoot } from "./history.ts";
import type { HeldLock } from "./lock.ts";
import { planRoot, type RootPlan } from "./rollback_plan.ts";
import { fileKey, rootOf } from "./roots.ts";
import {
  compareIds,
  isComplete,
  isSnapshotId,
  listRecords,
  type RecordedChange,
  type SnapshotRecord,
} from "./snapshot.ts";
import { manifestPath } from "./target_manifest.ts";
import { commit, newSnapshotId, type Write } from "./transaction.ts";
import type { Copy } from "./copies.ts";

/** What a rollback would do. */
export interface RollbackPlan {
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
 * The first changes since a goal that kept no contents, along the line of records that led from it to the
 * present; what a rollback undid is not on it. Throws `E_SNAPSHOT_INVALID` when the goal is not either.
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
