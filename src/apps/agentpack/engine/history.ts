/**
 * What the snapshot records tell about the past of target roots (PACK-35).
 *
 * The manifests that a run wrote are kept with its record. So the state of a root as of a record is in the
 * manifest of the newest run, at or before it, that wrote one there. The contents are found by their hashes
 * among the copies of all runs. That holds for deploys, bootstraps and rollbacks alike.
 */

import { basename, dirname, join } from "@std/path";
import type { Files } from "../../../base/system/mod.ts";
import {
  type Content,
  createFile,
  encodeText,
  hashOf,
  holds,
  readContent,
  wholeBytes,
} from "../content.ts";
import { AgentpackError } from "../error.ts";
import type { Home } from "../identity.ts";
import { isTargetName, type TargetName } from "../names.ts";
import { type After, parseMode } from "./disk.ts";
import { fileKey } from "./roots.ts";
import {
  isManifestName,
  type ManagedEntry,
  manifestPath,
  parseManifest,
} from "./target_manifest.ts";
import {
  compareIds,
  deployedPath,
  isComplete,
  readSnapshotRecord,
  type RecordedChange,
  recordPath,
  snapshotIds,
  type SnapshotRecord,
} from "./snapshot.ts";
import { FILES_AT_ONCE, parseJson, pathIn, withPath } from "../io.ts";
import { type Fields, fieldsOf } from "../../../base/object.ts";
import { entryHash } from "../../../state/entries/document.ts";
import { inPool } from "../../../base/async/pool.ts";
import { safePoint } from "../interrupt.ts";

/** A root of a target. */
export interface TargetRoot {
  readonly target: TargetName;
  readonly root: string;
}

/** A manifest as it was at some time. */
export interface PastManifest {
  readonly bytes: Uint8Array;
  readonly files: readonly {
    readonly path: string;
    readonly sha256: string;
  }[];
  /** The entries of the root's shared file. */
  readonly shared: readonly ManagedEntry[];
}

/** The complete records of a home, oldest first, with their copies. */
export class History {
  readonly #files: Files;
  readonly #home: Home;
  readonly #records: readonly SnapshotRecord[];

  constructor(files: Files, home: Home, records: readonly SnapshotRecord[]) {
    this.#files = files;
    this.#home = home;
    this.#records = records.filter(isComplete).toSorted((a, b) => compareIds(a.id, b.id));
  }

  /** The record of an id, or null. */
  find(id: string): SnapshotRecord | null {
    return this.#records.find((record) => record.id === id) ?? null;
  }

  /** The records after one, oldest first. */
  after(id: string): SnapshotRecord[] {
    return this.#records.filter((record) => compareIds(record.id, id) > 0);
  }

  /** The records up to and including one, newest first. */
  upTo(id: string): SnapshotRecord[] {
    return this.#records.filter((record) => compareIds(record.id, id) <= 0).toReversed();
  }

  /** The roots a record is about: those it names, else the directories of the manifests it wrote. */
  territory(record: SnapshotRecord): TargetRoot[] {
    const named = record.roots ??
      record.changes.filter((change) => isManifestName(basename(change.path)))
        .map((change) => ({ target: change.target, root: dirname(change.path) }));
    const places = named.flatMap(({ target, root }) =>
      isTargetName(target) ? [{ target, root }] : []
    );
    if (places.length > 0) return places;
    const goal = record.rolled_back_to ? this.find(record.rolled_back_to) : null;
    return goal === null || goal === record ? [] : this.territory(goal);
  }

  /** Whether a record kept the contents it deployed; the oldest ones did not. */
  async keptContents(record: SnapshotRecord): Promise<boolean> {
    return await this.#files.stat(join(this.#home.snapshots, record.id, "state")) !== null;
  }

  /**
   * The manifest a root had as of a record. Null means that a run had removed it. `unknown` means that no run
   * up to then tells, as for roots that nobody had written to yet.
   *
   * Throws `E_SNAPSHOT_INVALID` when the kept copy is damaged.
   */
  async manifestAsOf(
    place: TargetRoot,
    id: string,
  ): Promise<PastManifest | "unknown" | null> {
    const path = manifestPath(place.root, place.target);
    for (const record of this.upTo(id)) {
      const change = record.changes.find((change) =>
        change.target === place.target && change.path === path
      );
      if (change === undefined) continue;
      if (change.op === "delete" || change.op === "rollback_delete") return null;
      const copy = await this.#copyOf(record, place.target, path, change.after_sha256 ?? null);
      if (copy !== null) {
        return await this.#read(record, place, path, await wholeBytes(this.#files, copy));
      }
      // Other tools keep no copies with their rollbacks; what they rolled back to has them.
      if (!record.rolled_back_to) return "unknown";
      return await this.manifestAsOf(place, record.rolled_back_to);
    }
    return "unknown";
  }

  async #read(
    record: SnapshotRecord,
    place: TargetRoot,
    path: string,
    bytes: Uint8Array,
  ): Promise<PastManifest> {
    const parsed = await parseManifest(bytes, path);
    if (typeof parsed === "string") throw damaged(record.id, path, parsed);
    const files = parsed.entries.map((entry) => ({
      path: pathIn(place.root, entry.path),
      sha256: entry.sha256,
    }));
    return { bytes, files, shared: parsed.shared };
  }

  async #copyOf(
    record: SnapshotRecord,
    target: string,
    path: string,
    hash: string | null,
  ): Promise<Content | null> {
    const copy = deployedPath(this.#home, record.id, target, path);
    const content = await this.#contentAt(copy);
    if (content !== null && hash !== null && hashOf(content) !== hash) {
      throw damaged(record.id, path, `the copy "${copy}" was altered`);
    }
    return content;
  }

  /** What a copy holds; null when it is gone. */
  async #contentAt(copy: string): Promise<Content | null> {
    const size = (await this.#files.stat(copy))?.size;
    return size === undefined ? null : await readContent(this.#files, copy, size);
  }

  /**
   * The content with a hash that a file once had, and the mode it had then if that is known. The newest copy at
   * or before a record is taken, else any other. Throws `E_SNAPSHOT_INVALID` when there is none.
   */
  async contentOf(
    target: TargetName,
    path: string,
    hash: string,
    id: string,
  ): Promise<{ readonly bytes: Content; readonly mode: number | null }> {
    const listed = (record: SnapshotRecord) =>
      record.managed_files.find((file) =>
        file.target === target && file.path === path && file.sha256 === hash
      );
    for (const record of [...this.upTo(id), ...this.after(id)]) {
      const file = listed(record);
      if (file === undefined) continue;
      const bytes = await this.#copyOf(record, target, path, hash);
      if (bytes !== null) return { bytes, mode: parseMode(file.mode) };
    }
    throw damaged(id, path, "no copy of its content is left");
  }

  /** The value that an entry of a shared file had. Throws `E_SNAPSHOT_INVALID` when no copy is left. */
  async entryOf(
    { target, path, name, sha256: hash }: {
      readonly target: TargetName;
      readonly path: string;
      readonly name: string;
      readonly sha256: string;
    },
    id: string,
  ): Promise<Fields> {
    for (const record of [...this.upTo(id), ...this.after(id)]) {
      const isListed = record.managed_entries?.some((entry) =>
        entry.target === target && entry.path === path && entry.name === name &&
        entry.sha256 === hash
      );
      if (isListed !== true) continue;
      const bytes = await this.#copyOf(record, target, entryCopyPath(path, name), null);
      const read = bytes === null ? null : parseJson(await wholeBytes(this.#files, bytes));
      if (read === null) continue;
      if (typeof read === "string" || entryHash(read.value) !== hash) {
        throw damaged(id, path, `the copy of its entry "${name}" was altered`);
      }
      return fieldsOf(read.value);
    }
    throw damaged(id, path, `no copy of its entry "${name}" is left`);
  }

  /** The first change of each entry of a shared file since a record, by name. */
  firstEntryChangesSince(
    id: string,
    target: TargetName,
    path: string,
  ): ReadonlyMap<string, RecordedChange> {
    const first = new Map<string, RecordedChange>();
    for (const change of this.since(id).flatMap((record) => record.shared_changes ?? [])) {
      if (change.target !== target || change.path !== path) continue;
      for (const { name } of change.entries ?? []) if (!first.has(name)) first.set(name, change);
    }
    return first;
  }

  /**
   * The records that lead away from the state of a record, oldest first. When a rollback has since brought
   * that state back, only what came after the rollback counts.
   */
  since(id: string): SnapshotRecord[] {
    const later = this.after(id);
    const back = later.findLastIndex((record) =>
      record.kind === "rollback" && record.rolled_back_to === id
    );
    return later.slice(back + 1);
  }

  /** The first change of each destination that happened since a record, by {@linkcode fileKey}. */
  firstChangesSince(id: string): ReadonlyMap<string, RecordedChange> {
    const first = new Map<string, RecordedChange>();
    for (const change of this.since(id).flatMap((record) => record.changes)) {
      if (!isTargetName(change.target)) continue;
      const key = fileKey(change.target, change.path);
      if (!first.has(key)) first.set(key, change);
    }
    return first;
  }

  /** What a destination was before a change. Throws `E_SNAPSHOT_INVALID` when its backup is gone. */
  async before(change: RecordedChange, id: string): Promise<After> {
    const link = change.before_link ?? null;
    if (!change.backup_path) return link === null ? { kind: "absent" } : { kind: "symlink", link };
    const bytes = await this.#contentAt(change.backup_path);
    if (bytes === null) throw damaged(id, change.path, "its backup is gone");
    const expected = change.before_sha256 ?? null;
    if (expected !== null && hashOf(bytes) !== expected) {
      throw damaged(id, change.path, "its backup was altered");
    }
    return link === null
      ? fileAfter(bytes, parseMode(change.before_mode))
      : { kind: "symlink", link };
  }

  /** The files that the newest record about a root lists, for roots whose manifest is gone. */
  lastListed(place: TargetRoot): string[] {
    const manifest = manifestPath(place.root, place.target);
    const newest = this.#records.findLast((record) =>
      record.changes.some((change) => change.path === manifest)
    );
    return newest?.managed_files.filter((file) => file.target === place.target)
      .map((file) => file.path) ?? [];
  }
}

/** A file to be there, with a mode where one is known. */
export function fileAfter(bytes: Content, mode: number | null): After {
  return { kind: "file", bytes, executable: false, ...(mode === null ? {} : { mode }) };
}

/** The error for a snapshot whose kept files cannot be used. */
export function damaged(id: string, path: string, why: string): AgentpackError {
  return new AgentpackError(
    "E_SNAPSHOT_INVALID",
    `Cannot roll back to ${id}: "${path}": ${why}`,
    { snapshot_id: id, path, error: why },
  );
}

// Copies of contents that a snapshot keeps. What a file had already at an earlier snapshot is not written
// again. Its copy is a hard link to the earlier one, where the file system has hard links.

/** Copies may hold what others must not read, whatever the original's mode says. */
const COPY_MODE = 0o600;

/** In how many snapshots, from the newest, earlier copies are looked for. */
const LOOK_BACK = 3;

/** A content and the file it is the content of. */
export interface Copy {
  readonly target: TargetName;
  readonly path: string;
  readonly bytes: Content;
}

interface Kept {
  readonly copy: string;
  readonly sha256: string;
}

/** The newest copies of files, by {@linkcode fileKey}. */
async function keptBefore(files: Files, home: Home): Promise<ReadonlyMap<string, Kept>> {
  const kept = new Map<string, Kept>();
  for (const id of (await snapshotIds(files, home)).slice(-LOOK_BACK).reverse()) {
    const record = await readSnapshotRecord(files, recordPath(home, id)).catch(() => null);
    if (record === null || typeof record === "string" || !isComplete(record)) continue;
    for (const { target, path, sha256 } of record.managed_files) {
      if (!isTargetName(target) || kept.has(fileKey(target, path))) continue;
      kept.set(fileKey(target, path), { copy: deployedPath(home, id, target, path), sha256 });
    }
  }
  return kept;
}

/** Makes a copy another name for an earlier one of the same content, if that still has it. */
async function share(
  files: Files,
  kept: Kept | undefined,
  content: Content,
  to: string,
): Promise<boolean> {
  if (kept === undefined || kept.sha256 !== hashOf(content)) return false;
  const isIntact = await holds(files, kept.copy, content).catch(() => false);
  return isIntact && await files.link(kept.copy, to);
}

/**
 * Writes copies to files that do not exist yet, by their paths. With the `home`, copies that its newest snapshots keep
 * are used again; but not when copies are flushed, since earlier ones may not have been.
 */
export async function writeCopies(
  files: Files,
  copies: ReadonlyMap<string, Content | Copy>,
  flush: boolean,
  home: Home | null = null,
): Promise<void> {
  const directories = new Set([...copies.keys()].map(dirname));
  for (const directory of directories) {
    await withPath("create", directory, () => files.makeDirectory(directory));
  }
  const kept = home === null || flush ? new Map<string, Kept>() : await keptBefore(files, home);
  await inPool(FILES_AT_ONCE, [...copies], async ([to, content]) => {
    await safePoint(files);
    const bytes = "target" in content ? content.bytes : content;
    const earlier = "target" in content
      ? kept.get(fileKey(content.target, content.path))
      : undefined;
    if (await share(files, earlier, bytes, to)) return;
    await withPath("write", to, () => createFile(files, to, bytes, { mode: COPY_MODE, flush }));
  });
  if (!flush) return;
  for (const directory of directories) await files.flushDirectory(directory);
}

/** The name under which the copy of an entry is kept. */
function entryCopyPath(path: string, name: string): string {
  return `${path}\0${name}`;
}

/** The copy of an entry. */
export function entryCopy({ target, path, name, value }: {
  readonly target: TargetName;
  readonly path: string;
  readonly name: string;
  readonly value: unknown;
}): Copy {
  return {
    target,
    path: entryCopyPath(path, name),
    bytes: encodeText(`${JSON.stringify(value, null, 2)}\n`),
  };
}
