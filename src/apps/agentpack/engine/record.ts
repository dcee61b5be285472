/**
 * What every new snapshot record says about where it was made (PACK-9).
 *
 * @module
 */

import { sha256 } from "../../../base/hash.ts";
import type { Session } from "./session.ts";
import type { SnapshotRecord } from "./snapshot.ts";

/** A record of a session without files and changes; its roots are those of all configured targets. */
export async function recordBase(
  session: Session,
  id: string,
  createdAt: string,
): Promise<SnapshotRecord> {
  const lockfile = await session.pack.system.files.readBytes(session.home.lockfile);
  return {
    kind: "deploy",
    id,
    created_at: createdAt,
    targets: [],
    managed_files: [],
    changes: [],
    lockfile_sha256: lockfile === null ? null : sha256(lockfile),
    backup_root: "",
    schema_version: 1,
    repo: session.home.repo,
    project_root: session.project.root,
    project_id: session.project.id,
    machine_id: session.machineId,
    profile: session.profile,
    target_filter: session.filter,
    roots: session.allRoots.map(({ target, root }) => ({ target, root })),
  };
}
