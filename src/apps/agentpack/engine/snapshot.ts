/** Records of deploys, bootstraps and rollbacks, with copies of what they changed (PACK-9). */

import { join } from "@std/path";
import { sha256 } from "../../../base/hash.ts";
import { inPool } from "../../../base/async/pool.ts";
import type { ZodNamespace } from "../../../contract/mod.ts";
import { builtOnce, posix, readJson } from "../io.ts";
import type { Files } from "../../../base/system/mod.ts";
import { compareBytes } from "../content.ts";
import { rootCause } from "../../../base/error.ts";
import type { Home } from "../identity.ts";
import type { output } from "zod";
import type { Session } from "./session.ts";

function build(z: ZodNamespace) {
  const changes = z.array(z.looseObject({
    target: z.string(),
    op: z.enum(["create", "update", "delete", "rollback_restore", "rollback_delete"]),
    path: z.string(),
    before_sha256: z.string().nullish(),
    after_sha256: z.string().nullish(),
    backup_path: z.string().nullish(),
    before_mode: z.string().nullish(),
    before_link: z.string().nullish(),
    entries: z.array(z.looseObject({ name: z.string() })).nullish(),
  }));
  return z.looseObject({
    kind: z.enum(["deploy", "bootstrap", "rollback"]).default("deploy"),
    id: z.string(),
    created_at: z.string(),
    targets: z.array(z.string()).default([]),
    managed_files: z.array(z.looseObject({
      target: z.string(),
      path: z.string(),
      sha256: z.string(),
      mode: z.string().optional(),
    })).default([]),
    changes: changes.default([]),
    // Apart from the others, so that nobody takes a whole file for ours of which only entries are.
    shared_changes: changes.optional(),
    managed_entries: z.array(z.looseObject({
      target: z.string(),
      path: z.string(),
      name: z.string(),
      sha256: z.string(),
    })).optional(),
    rolled_back_to: z.string().nullish(),
    lockfile_sha256: z.string().nullish(),
    backup_root: z.string().default(""),
    schema_version: z.int().optional(),
    repo: z.string().optional(),
    project_root: z.string().optional(),
    project_id: z.string().optional(),
    machine_id: z.string().optional(),
    profile: z.string().optional(),
    target_filter: z.string().optional(),
    roots: z.array(z.looseObject({ target: z.string(), root: z.string() })).optional(),
    created_directories: z.array(z.string()).optional(),
    status: z.enum(["pending", "complete", "failed"]).optional(),
  });
}

const schema = builtOnce(build);

/** A record. Fields from `schema_version` on are ours; others may lack them. */
export type SnapshotRecord = output<ReturnType<typeof build>>;
/** One file of a record's changes. */
export type RecordedChange = SnapshotRecord["changes"][number];
/** A record as it lies on the disk. */
interface StoredRecord {
  readonly record: SnapshotRecord;
  /** When its file was last written, in milliseconds; 0 where unknown. */
  readonly modifiedMs: number;
}

/** Every readable record and what was wrong with the others. */
interface RecordList {
  /** Oldest first. */
  readonly records: readonly StoredRecord[];
  readonly warnings: readonly string[];
}

const ID = /^[0-9]{1,40}$/;

/** Whether a text can be the id of a snapshot: digits only, so that it names nothing else. */
export function isSnapshotId(id: string): boolean {
  return ID.test(id);
}

/** Orders ids by their number. */
export function compareIds(a: string, b: string): number {
  const left = BigInt(a);
  const right = BigInt(b);
  return left < right ? -1 : left > right ? 1 : compareBytes(a, b);
}

/** Whether a record tells of a change that was carried out; older ones do not say and were. */
export function isComplete(record: SnapshotRecord): boolean {
  return record.status === undefined || record.status === "complete";
}

/** The file of a record. */
export function recordPath(home: Home, id: string): string {
  return join(home.snapshots, `${id}.json`);
}

/** The name of a copy: of the path as it is for backups, with `/` for deployed content. */
export function copyName(path: string): string {
  return sha256(path).slice(0, 16);
}

/** Where all copies of a change are. */
export function copiesOf(home: Home, id: string): string {
  return join(home.snapshots, id);
}

/** Where the copies of the files are that a change deployed. */
export function deployedCopies(home: Home, id: string): string {
  return join(copiesOf(home, id), "state");
}

/** Where the copy of a deployed file is. */
export function deployedPath(home: Home, id: string, target: string, path: string): string {
  return join(deployedCopies(home, id), target, copyName(posix(path)));
}

/** Reads one record; a text when it cannot be used. */
export async function readSnapshotRecord(
  files: Files,
  path: string,
): Promise<SnapshotRecord | string | null> {
  const read = await readJson(files, path);
  if (read === null || typeof read === "string") return read;
  const shape = (await schema()).safeParse(read.value);
  if (shape.success) return isSnapshotId(shape.data.id) ? shape.data : "its id is not a number";
  const [issue] = shape.error.issues;
  return `${issue?.path.map(String).join(".")}: ${issue?.message}`;
}

/** The ids of all records, oldest first. */
export async function snapshotIds(files: Files, home: Home): Promise<string[]> {
  const entries = await files.list(home.snapshots);
  return entries.flatMap(({ name }) => name.endsWith(".json") ? [name.slice(0, -5)] : [])
    .filter(isSnapshotId).sort(compareIds);
}

/** Reads all records, or the newest `most`; one that cannot be read is a warning and not an end. */
export async function listRecords(
  files: Files,
  home: Home,
  most = Infinity,
): Promise<RecordList> {
  const ids = await snapshotIds(files, home);
  const warnings: string[] = [];
  const wanted = most === Infinity ? ids : ids.slice(-most);
  const read = await inPool(16, wanted, async (id): Promise<StoredRecord[]> => {
    const path = recordPath(home, id);
    const record = await readSnapshotRecord(files, path).catch(rootCause);
    if (record === null) return [];
    if (typeof record === "string" || record.id !== id) {
      const why = typeof record === "string" ? record : `it says that it is ${record.id}`;
      warnings.push(`The snapshot record "${path}" is ignored: ${why}`);
      return [];
    }
    return [{ record, modifiedMs: (await files.stat(path))?.modifiedMs ?? 0 }];
  });
  return { records: read.flat(), warnings };
}

/**
 * The record whose files count as managed when no manifest tells: of kind deploy or rollback, the newest by
 * the time of its file and then by id.
 */
export function latestRecord(list: RecordList): SnapshotRecord | null {
  const candidates = list.records.filter(({ record }) =>
    record.kind !== "bootstrap" && isComplete(record)
  );
  const newest = candidates.reduce<StoredRecord | null>(
    (best, one) => best === null || one.modifiedMs >= best.modifiedMs ? one : best,
    null,
  );
  return newest?.record ?? null;
}

/** The text of a record; absent members are left out, `lockfile_sha256` is null instead. */
export function recordText(record: SnapshotRecord): string {
  const {
    kind,
    id,
    created_at,
    targets,
    managed_files,
    changes,
    rolled_back_to,
    lockfile_sha256,
    ...rest
  } = record;
  const ordered = {
    kind,
    id,
    created_at,
    targets,
    managed_files: managed_files.length === 0 ? undefined : managed_files,
    changes,
    rolled_back_to: rolled_back_to ?? undefined,
    lockfile_sha256: lockfile_sha256 ?? null,
    ...rest,
  };
  return `${JSON.stringify(ordered, null, 2)}\n`;
}

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
