/**
 * `snapshots list` and `snapshots prune` (PACK-59): nothing else ever removes a snapshot.
 *
 * @module
 */

import { join } from "@std/path";
import { withHomeLock } from "../engine/lock.ts";
import { fileKey } from "../engine/roots.ts";
import {
  compareIds,
  isComplete,
  listRecords,
  recordPath,
  type SnapshotRecord,
} from "../engine/snapshot.ts";
import { isManifestName } from "../engine/target_manifest.ts";
import { homeOf } from "../identity/home.ts";
import { isTargetName } from "../names.ts";
import type { Answer, Pack, Selection } from "../pack.ts";

/** One snapshot. */
export interface SnapshotItem {
  readonly id: string;
  readonly kind: SnapshotRecord["kind"];
  readonly created_at: string;
  readonly status: "pending" | "complete" | "failed";
  readonly targets: readonly string[];
  /** How many destinations it changed. */
  readonly changes: number;
  readonly profile?: string;
  readonly project_root?: string;
  readonly rolled_back_to?: string;
}

/** `data` of `snapshots list`, newest first. */
export interface SnapshotsData {
  readonly snapshots: readonly SnapshotItem[];
}

/** `data` of `snapshots prune`. */
export interface PruneData {
  /** Ids whose record and copies were removed. */
  readonly removed: readonly string[];
  readonly kept: number;
}

function shown(record: SnapshotRecord): SnapshotItem {
  return {
    id: record.id,
    kind: record.kind,
    created_at: record.created_at,
    status: record.status ?? "complete",
    targets: record.targets,
    changes: record.changes.length,
    ...(record.profile === undefined ? {} : { profile: record.profile }),
    ...(record.project_root === undefined ? {} : { project_root: record.project_root }),
    ...(record.rolled_back_to ? { rolled_back_to: record.rolled_back_to } : {}),
  };
}

/** All snapshots. */
export async function listSnapshots(
  pack: Pack,
  selection: Selection,
): Promise<Answer<SnapshotsData>> {
  const home = homeOf(pack.system.env, selection.repo);
  const list = await listRecords(pack.system.files, home);
  const records = list.records.map(({ record }) => record);
  return {
    data: { snapshots: records.sort((a, b) => compareIds(b.id, a.id)).map(shown) },
    warnings: list.warnings,
  };
}

/**
 * Removes all but the newest `keep` snapshots, and never the newest one that wrote the manifest of a root:
 * without it nothing could tell what is there.
 */
export async function pruneSnapshots(
  pack: Pack,
  selection: Selection,
  options: { readonly keep: number },
): Promise<Answer<PruneData>> {
  const { files } = pack.system;
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(pack.system, home, async (held) => {
    const list = await listRecords(files, home);
    const records = list.records.map(({ record }) => record)
      .sort((a, b) => compareIds(b.id, a.id));
    const needed = new Set(records.slice(0, Math.max(0, options.keep)).map((record) => record.id));
    const roots = new Set<string>();
    for (const record of records.filter(isComplete)) {
      for (const { target, path } of record.changes) {
        const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
        if (!isTargetName(target) || !isManifestName(name) || roots.has(fileKey(target, path))) {
          continue;
        }
        roots.add(fileKey(target, path));
        needed.add(record.id);
      }
    }
    const removed = records.filter((record) => !needed.has(record.id)).map((record) => record.id);
    for (const id of removed) {
      // The record goes last, so that a removal cut short can be repeated.
      await files.removeTree(join(home.snapshots, id));
      await files.remove(recordPath(home, id));
    }
    return {
      data: { removed, kept: records.length - removed.length },
      warnings: [...held.warnings, ...list.warnings],
    };
  });
}
