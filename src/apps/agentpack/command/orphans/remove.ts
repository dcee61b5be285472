/** `orphans remove`: deletes files in roots that the configuration no longer has (PACK-37). */

import { join } from "@std/path";
import { compareBytes } from "../../content.ts";
import { type Act, declare, members } from "../../declare/command.ts";
import { emptied, readOnDisk } from "../../engine/disk.ts";
import { findOrphans, type Orphan } from "../../engine/roots.ts";
import {
  type ManagedEntry,
  readManifest,
  type RootManifest,
} from "../../engine/target_manifest.ts";
import { recordBase } from "../../engine/snapshot.ts";
import { loadSession, type Session } from "../../engine/session.ts";
import { planFile, readShared } from "../../engine/shared/plan.ts";
import { commit, newSnapshotId, type Write } from "../../engine/transaction.ts";
import { pathIn } from "../../io.ts";
import { entryHash } from "../../../../state/entries/document.ts";
import type { Files } from "../../../../base/system/mod.ts";
import { keyOf } from "../../../../state/entries/types.ts";
import { sharedFilesOf } from "../../target/shared_files.ts";
import type { Answer } from "../../pack.ts";
import { formatNanos } from "../../names.ts";
import { listOrphans, type OrphansData, rendered, shown } from "./list.ts";

/**
 * Deletes the files that the manifests of orphaned roots list and the manifests themselves. Files that were
 * edited since are left where they are.
 */
async function removeOrphans(
  { pack, selection, home, held, approve }: Act,
): Promise<Answer<OrphansData>> {
  const session = await loadSession(pack, selection);
  const orphans = await findOrphans(session);
  const warnings = [...session.warnings];
  if (orphans.length === 0) return { data: { applied: false, orphans: [] }, warnings };
  await approve({ applied: false, orphans: shown(orphans) });
  const nanos = await newSnapshotId(pack, held);
  const id = String(nanos);
  const writes = await deletions(session, orphans, warnings);
  await commit(pack, held, {
    id,
    writes,
    copies: [],
    prune: emptied(writes.filter(({ after }) => after.kind === "absent")),
    record: {
      ...await recordBase(session, id, formatNanos(nanos)),
      targets: [...new Set(orphans.map(({ manifest }) => manifest.target))].sort(compareBytes),
      backup_root: join(home.snapshots, id, "backup"),
    },
  });
  return { data: { applied: true, snapshot_id: id, orphans: shown(orphans) }, warnings };
}

async function deletions(
  session: Session,
  orphans: readonly Orphan[],
  warnings: string[],
): Promise<Write[]> {
  const { files } = session.pack.system;
  const writes: Write[] = [];
  const claimed = new Set<string>();
  for (const place of session.allRoots) {
    const { entries } = await readManifest(files, place);
    for (const entry of entries) claimed.add(pathIn(place.root, entry.path));
  }
  for (const { manifest, files: listed } of orphans) {
    const { target, root } = manifest;
    const remove = (path: string, expected: string | null): Write => ({
      target,
      root,
      path,
      op: "delete",
      expected,
      after: { kind: "absent" },
    });
    for (const file of listed) {
      if (claimed.has(file.absolute)) continue;
      const disk = await readOnDisk(files, file.absolute);
      if (disk.kind === "absent") continue;
      if (disk.sha256 !== file.sha256) {
        warnings.push(`"${file.absolute}" was edited since it was deployed and is left as it is`);
        continue;
      }
      writes.push(remove(file.absolute, disk.sha256));
    }
    writes.push(...await removedEntries(files, manifest, warnings));
    // The manifest stays if it still lists operator files, because it proves that they are ours.
    if (listed.length === manifest.entries.length) {
      const disk = await readOnDisk(files, manifest.path);
      writes.push(remove(manifest.path, disk.sha256));
    }
  }
  return writes;
}

/** Takes the entries of an orphaned root out of its shared files; those that were edited since stay. */
async function removedEntries(
  files: Files,
  manifest: RootManifest,
  warnings: string[],
): Promise<Write[]> {
  const writes: Write[] = [];
  const refusals = { policy: null, allowed: new Set<string>() };
  for (const shared of sharedFilesOf(manifest.target)) {
    const listed = manifest.shared.filter((entry) => entry.path === shared.file);
    if (listed.length === 0) continue;
    const { target, root } = manifest;
    const path = pathIn(root, shared.file);
    const { entries } = await readShared(files, path, shared);
    const isEdited = ({ name, sha256 }: ManagedEntry) =>
      entries.has(name) && entryHash(entries.get(name)) !== sha256;
    for (const { name } of listed.filter(isEdited)) {
      warnings.push(
        `"${
          keyOf(shared, name)
        }" in "${path}" was edited since it was deployed and is left as it is`,
      );
    }
    const { change, after } = await planFile(
      files,
      { target, root, shared: listed.filter((entry) => !isEdited(entry)) },
      { shared, wanted: [], path, refusals },
    );
    if (change === null || after === undefined) continue;
    writes.push({
      target,
      root,
      path,
      op: change.op,
      expected: change.before_sha256,
      ...(change.entries === undefined ? {} : { entries: change.entries }),
      after: after === null
        ? { kind: "absent" }
        : { kind: "file", bytes: after, executable: false },
    });
  }
  return writes;
}

/** `orphans remove`. */
export const orphansRemove = declare({
  path: ["orphans", "remove"],
  summary: "Remove them; files that were edited since stay.",
  options: {},
  examples: ["orphans remove --dry-run", "orphans remove --yes"],
  changes: { asks: "late" },
  look: listOrphans,
  act: removeOrphans,
  answers: members<OrphansData>("applied", "snapshot_id", "orphans"),
  render: ({ data }) => rendered(data),
  isIdle: ({ data }) => data.orphans.length === 0,
});
