/**
 * Which files on the disk are ours (PACK-27).
 *
 * The manifests of this run's roots say so. Where none has an entry, the latest snapshot does, but only about
 * files below the roots of this run: other projects' files are not ours to judge.
 */

import { basename } from "@std/path";
import { inPool } from "../../../base/async/pool.ts";
import { isTargetName, type TargetName } from "../names.ts";
import { fileKey, rootOf } from "./roots.ts";
import {
  isManifestName,
  isOperatorFile,
  readManifest,
  type RootManifest,
} from "./target_manifest.ts";
import type { Session } from "./session.ts";
import { latestRecord, listRecords } from "./snapshot.ts";
import { pathIn } from "../io.ts";

/** A file that is ours. */
export interface ManagedFile {
  readonly target: TargetName;
  readonly path: string;
  readonly root: string;
  /** What was last written there, or null when nobody recorded it. */
  readonly sha256: string | null;
  readonly moduleIds: readonly string[];
  /** Installed by bootstrap: deploys neither delete nor report it. */
  readonly operator: boolean;
}

/** Everything that is ours below the roots of a session. */
export interface Managed {
  /** One for each root of the session, in their order. */
  readonly manifests: readonly RootManifest[];
  /** By {@linkcode fileKey}. */
  readonly files: ReadonlyMap<string, ManagedFile>;
  readonly warnings: readonly string[];
}

/** Finds out what is managed below the roots of a session. */
export async function findManaged(session: Session): Promise<Managed> {
  const { files } = session.pack.system;
  const manifests = await inPool(8, session.roots, (root) => readManifest(files, root));
  const configured = new Set(session.config.modules.map((module) => module.id));
  const found = new Map<string, ManagedFile>();
  for (const manifest of manifests) {
    for (const entry of manifest.entries) {
      const path = pathIn(manifest.root, entry.path);
      found.set(fileKey(manifest.target, path), {
        target: manifest.target,
        path,
        root: manifest.root,
        sha256: entry.sha256,
        moduleIds: entry.moduleIds,
        operator: isOperatorFile(entry.moduleIds, configured),
      });
    }
  }
  const warnings = manifests.flatMap((manifest) => manifest.warnings);
  const listed = manifests.some(({ shared }) => shared.length > 0);
  if (found.size > 0 || listed) return { manifests, files: found, warnings };
  const fallback = await managedBySnapshot(session);
  return { manifests, files: fallback.files, warnings: [...warnings, ...fallback.warnings] };
}

async function managedBySnapshot(session: Session): Promise<Pick<Managed, "files" | "warnings">> {
  const list = await listRecords(session.pack.system.files, session.home);
  const record = latestRecord(list);
  const found = new Map<string, ManagedFile>();
  if (record === null) return { files: found, warnings: list.warnings };
  const listed = record.managed_files.length > 0
    ? record.managed_files
    : record.changes.filter((change) => change.op === "create" || change.op === "update")
      .map((change) => ({ ...change, sha256: change.after_sha256 ?? null }));
  for (const { target, path, sha256 } of listed) {
    if (!isTargetName(target) || !session.targets.includes(target)) continue;
    const root = rootOf(session.roots, target, path);
    if (root === null || isManifestName(basename(path))) continue;
    found.set(fileKey(target, path), {
      target,
      path,
      root: root.root,
      sha256,
      moduleIds: [],
      operator: false,
    });
  }
  return { files: found, warnings: list.warnings };
}
