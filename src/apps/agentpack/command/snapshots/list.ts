/** `snapshots list`: what rollback can bring back (PACK-59). */

import { basename } from "@std/path";
import { defined } from "../../../../base/object.ts";
import { localTime } from "../../../../base/text/moment.ts";
import { table } from "../../../../base/text/table.ts";
import { declare, members } from "../../declare/command.ts";
import { shownPath } from "../../declare/show.ts";
import { compareIds, listRecords, type SnapshotRecord } from "../../engine/snapshot.ts";
import { isManifestName } from "../../engine/target_manifest.ts";
import type { Answer } from "../../pack.ts";

interface SnapshotItem {
  readonly id: string;
  readonly kind: SnapshotRecord["kind"];
  readonly created_at: string;
  readonly status: "pending" | "complete" | "failed";
  readonly targets: readonly string[];
  /** How many destinations it changed, not counting the manifests that every deploy writes anew. */
  readonly changes: number;
  readonly profile?: string;
  readonly project_root?: string;
  readonly rolled_back_to?: string;
}

/** `data` of `snapshots list`, newest first. */
interface SnapshotsData {
  readonly snapshots: readonly SnapshotItem[];
}

function shown(record: SnapshotRecord): SnapshotItem {
  return {
    id: record.id,
    kind: record.kind,
    created_at: record.created_at,
    status: record.status ?? "complete",
    targets: record.targets,
    changes: record.changes.filter(({ path }) => !isManifestName(basename(path))).length +
      (record.shared_changes?.length ?? 0),
    ...defined({ profile: record.profile, project_root: record.project_root }),
    ...(record.rolled_back_to ? { rolled_back_to: record.rolled_back_to } : {}),
  };
}

/** `snapshots list`. */
export const snapshotsList = declare({
  path: ["snapshots", "list"],
  summary: "List the snapshots that rollback can bring back, newest first.",
  options: {},
  examples: ["snapshots list", "snapshots list --json"],
  async look({ pack, home }): Promise<Answer<SnapshotsData>> {
    const list = await listRecords(pack.system.files, home);
    const records = list.records.map(({ record }) => record);
    return {
      data: { snapshots: records.sort((a, b) => compareIds(b.id, a.id)).map(shown) },
      warnings: list.warnings,
    };
  },
  answers: members<SnapshotsData>("snapshots"),
  render: ({ data }) =>
    data.snapshots.length === 0 ? "There are no snapshots" : table(
      [
        "id",
        { name: "kind", worth: 7 },
        { name: "created", worth: 6 },
        "status",
        "targets",
        "changes",
        { name: "project", worth: 4 },
      ],
      data.snapshots.map((one) => [
        one.id,
        one.kind,
        localTime(Date.parse(one.created_at)),
        one.status,
        one.targets.join(","),
        one.changes,
        shownPath(one.project_root ?? ""),
      ]),
    ),
});
