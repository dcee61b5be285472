/** `snapshots prune`: removes all but the newest snapshots (PACK-59): nothing else ever removes one. */

import { join } from "@std/path";
import { count } from "../../../../base/text/words.ts";
import { type Act, declare, members, requiredText } from "../../declare/command.ts";
import { shownPath } from "../../declare/show.ts";
import { fileKey } from "../../engine/roots.ts";
import { isManifestName } from "../../engine/target_manifest.ts";
import { compareIds, isComplete, listRecords, recordPath } from "../../engine/snapshot.ts";
import { AgentpackError } from "../../error.ts";
import { isTargetName } from "../../names.ts";
import type { Answer } from "../../pack.ts";

/** `data` of `snapshots prune`. */
interface PruneData {
  /** Ids whose record and copies were removed. */
  readonly removed: readonly string[];
  readonly kept: number;
}

/**
 * Removes what failed changes left, and all but the newest `keep` snapshots. The newest one that wrote the
 * manifest of a root is never removed: without it nothing could tell what is there.
 */
async function pruneSnapshots({ pack, home }: Act, keep: number): Promise<Answer<PruneData>> {
  const { files } = pack.system;
  const list = await listRecords(files, home);
  const records = list.records.map(({ record }) => record)
    .sort((a, b) => compareIds(b.id, a.id));
  // A failed snapshot cannot be rolled back to, so it does not count among those to keep.
  const needed = new Set(records.filter(isComplete).slice(0, keep).map((record) => record.id));
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
    warnings: list.warnings,
  };
}

/** `snapshots prune`. */
export const snapshotsPrune = declare({
  path: ["snapshots", "prune"],
  summary: "Remove all but the newest snapshots.",
  description: "The last snapshot that knows a place is never removed.",
  options: { keep: requiredText({ help: "How many to keep", value: "N" }) },
  examples: ["snapshots prune --keep 20"],
  changes: { asks: "first" },
  prepare(_, { keep }) {
    if (/^\d{1,6}$/.test(keep)) return Promise.resolve(Number(keep));
    throw new AgentpackError("E_USAGE", `--keep takes a number, not "${shownPath(keep)}"`);
  },
  act: (call, _, keep) => pruneSnapshots(call, keep),
  answers: members<PruneData>("removed", "kept"),
  render: ({ data }) =>
    `Removed ${count(data.removed.length, "snapshot")}, ${data.kept} ${
      data.kept === 1 ? "is" : "are"
    } kept`,
});
