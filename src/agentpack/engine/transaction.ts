/**
 * Carries out a list of writes and deletes as one change, with a snapshot record; `journal.ts` explains how
 * it survives being killed.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { dirname, join } from "@std/path";
import { sha256 } from "../../policy/fingerprint.ts";
import type { Files } from "../../system/mod.ts";
import { AgentpackError, toAgentpackError } from "../error.ts";
import { wantsFlush } from "../identity/home.ts";
import { readBytes, withPath, writeFile } from "../io.ts";
import { forMany } from "../many.ts";
import type { TargetName } from "../names.ts";
import type { Pack } from "../pack.ts";
import { nowNanos } from "../time.ts";
import { modeAfter, octal } from "./mode.ts";
import { lookAt, missingParents, type OnDisk, refuseWayOut } from "./disk.ts";
import {
  finish,
  type Journal,
  journalPath,
  type JournalStep,
  markFailed,
  undo,
  writeJournal,
} from "./journal.ts";
import type { HeldLock } from "./lock.ts";
import {
  backupPath,
  compareIds,
  deployedPath,
  type RecordedChange,
  recordPath,
  recordText,
  snapshotIds,
  type SnapshotRecord,
} from "./snapshot.ts";

/** Copies may hold what others must not read, whatever the original's mode says. */
const COPY_MODE = 0o600;

/** What will be at a destination. */
export type After =
  | { readonly kind: "absent" }
  | {
    readonly kind: "file";
    readonly bytes: Uint8Array;
    /** The mode it must have; without it, that of the file there, else 0644. */
    readonly mode?: number;
    /** Whether execute bits are added. */
    readonly executable: boolean;
  }
  | { readonly kind: "symlink"; readonly link: string };

/** One destination to change. */
export interface Write {
  readonly target: TargetName;
  readonly path: string;
  /** The root it lies below, which no linked directory may lead out of. */
  readonly root: string;
  readonly op: RecordedChange["op"];
  /** The hash that must be there now, null for nothing; undefined takes whatever is there. */
  readonly expected: string | null | undefined;
  readonly after: After;
}

/** A content to keep with the snapshot. */
export interface Copy {
  readonly target: TargetName;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A whole change. */
export interface Change {
  readonly id: string;
  readonly writes: readonly Write[];
  /** Deployed contents to keep. */
  readonly copies: readonly Copy[];
  /** Directories to remove in the end if they are empty, the innermost first. */
  readonly prune: readonly string[];
  /** The record without `changes`, `created_directories` and `status`. */
  readonly record: SnapshotRecord;
}

/** A write with what was found at its destination. */
interface Prepared {
  readonly write: Write;
  readonly disk: OnDisk;
  readonly step: JournalStep;
  readonly backup: string;
  readonly mode: number;
}

/** A new snapshot id: nanoseconds since the epoch, later than every existing one. */
export async function newSnapshotId(pack: Pack, held: HeldLock): Promise<bigint> {
  const now = nowNanos(pack.system.clock);
  const last = (await snapshotIds(pack.system.files, held.home)).at(-1);
  return last === undefined || compareIds(last, String(now)) < 0 ? now : BigInt(last) + 1n;
}

/**
 * Carries out a change: all of it, or nothing. Answers its record.
 *
 * Throws `E_PLAN_STALE` when a destination is not what was expected, `E_IO_*` when one cannot be used; what
 * was already done is then taken back.
 */
export async function commit(
  pack: Pack,
  held: HeldLock,
  change: Change,
): Promise<SnapshotRecord> {
  const { files } = pack.system;
  const { home } = held;
  const prepared = await prepare(files, held, change);
  const created = await directoriesToCreate(files, prepared);
  const record: SnapshotRecord = {
    ...change.record,
    changes: prepared.map(toRecorded),
    created_directories: created,
    status: "pending",
  };
  const journal: Journal = {
    version: 1,
    snapshot_id: change.id,
    phase: "applying",
    steps: prepared.map(({ step }) => step),
    created_directories: created,
    prune: [...change.prune],
  };
  const flush = wantsFlush(pack.system.env);
  let applying = false;
  try {
    await writeJournal(files, home, { ...journal, phase: "preparing", steps: [] });
    await writeFile(files, recordPath(home, change.id), recordText(record));
    await keepCopies(files, held, change, prepared, flush);
    await writeJournal(files, home, journal);
    applying = true;
    for (const one of prepared) await perform(files, one, flush);
    await writeFile(
      files,
      recordPath(home, change.id),
      recordText({ ...record, status: "complete" }),
    );
  } catch (error) {
    throw await takeBack(files, held, change.id, applying ? journal : null, error);
  }
  try {
    await finish(files, home, journal);
  } catch {
    // The change stands; the next one tidies up.
  }
  return { ...record, status: "complete" };
}

/** Undoes a failed change at once; what cannot be undone now is left to the next one. */
async function takeBack(
  files: Files,
  held: HeldLock,
  id: string,
  journal: Journal | null,
  failure: unknown,
): Promise<AgentpackError> {
  const error = toAgentpackError(failure);
  try {
    if (journal !== null) await undo(files, journal);
    await markFailed(files, held.home, id);
    await files.remove(journalPath(held.home));
    return error;
  } catch (undoing) {
    return new AgentpackError(
      error.code,
      `${error.message}; taking back what was done failed too and is repeated before the next change: ${
        toAgentpackError(undoing).message
      }`,
      error.details ?? {},
      { cause: failure },
    );
  }
}

function stale(path: string): AgentpackError {
  return new AgentpackError(
    "E_PLAN_STALE",
    `"${path}" changed since the plan was made; plan again`,
    { path },
  );
}

async function prepare(
  files: Files,
  held: HeldLock,
  change: Change,
): Promise<Prepared[]> {
  const seen = new Set<string>();
  const once = change.writes.filter(({ path }) => !seen.has(path) && seen.add(path));
  return await forMany(once.map((write, index) => ({ write, index })), async (item) => {
    const { write, index } = item;
    await refuseWayOut(files, write.root, write.path);
    const disk = await lookAt(files, write.path);
    if (write.expected !== undefined && disk.sha256 !== write.expected) throw stale(write.path);
    const backup = backupPath(held.home, change.id, write.target, write.path);
    return {
      write,
      disk,
      backup,
      mode: modeFor(write.after, disk),
      step: {
        path: write.path,
        temporary: join(dirname(write.path), `.agentpack-${change.id}-${index}.tmp`),
        before: stateBefore(disk, backup),
        after: stateAfter(write.after),
      },
    };
  });
}

function stateBefore(disk: OnDisk, backup: string): JournalStep["before"] {
  if (disk.kind === "symlink") return { kind: "symlink", link: disk.link ?? "" };
  return disk.kind === "absent" || disk.sha256 === null
    ? { kind: "absent" }
    : { kind: "file", sha256: disk.sha256, mode: disk.mode, backup };
}

function stateAfter(after: After): JournalStep["after"] {
  return after.kind === "file" ? { kind: "file", sha256: sha256(after.bytes) } : after;
}

function modeFor(after: After, disk: OnDisk): number {
  if (after.kind !== "file") return 0;
  return after.mode ?? modeAfter(disk.mode, after.executable);
}

function toRecorded({ write, disk, backup }: Prepared): RecordedChange {
  const { after } = write;
  return {
    target: write.target,
    op: write.op,
    path: write.path,
    ...(disk.sha256 === null ? {} : { before_sha256: disk.sha256, backup_path: backup }),
    ...(after.kind === "file" ? { after_sha256: sha256(after.bytes) } : {}),
    ...(disk.kind === "file" && disk.mode !== null ? { before_mode: octal(disk.mode) } : {}),
    ...(disk.link === null ? {} : { before_link: disk.link }),
  };
}

async function directoriesToCreate(
  files: Files,
  prepared: readonly Prepared[],
): Promise<string[]> {
  const parents = new Map(
    prepared.filter(({ write }) => write.after.kind !== "absent")
      .map(({ write }) => [dirname(write.path), write.path]),
  );
  const missing = await forMany([...parents.values()], (path) => missingParents(files, path));
  return [...new Set(missing.flat())].sort((a, b) => a.length - b.length);
}

async function keepCopies(
  files: Files,
  held: HeldLock,
  change: Change,
  prepared: readonly Prepared[],
  flush: boolean,
): Promise<void> {
  const copies = new Map<string, Uint8Array>();
  for (const { disk, backup } of prepared) {
    if (disk.bytes !== null) copies.set(backup, disk.bytes);
  }
  for (const { target, path, bytes } of change.copies) {
    copies.set(deployedPath(held.home, change.id, target, path), bytes);
  }
  for (const directory of new Set([...copies.keys()].map(dirname))) {
    await withPath("create", directory, () => files.makeDirectory(directory));
  }
  await forMany([...copies], ([path, bytes]) =>
    withPath(
      "write",
      path,
      () => files.create(path, bytes, { mode: COPY_MODE, flush }),
    ));
  if (!flush) return;
  for (const directory of new Set([...copies.keys()].map(dirname))) {
    await files.flushDirectory(directory);
  }
}

async function perform(files: Files, prepared: Prepared, flush: boolean): Promise<void> {
  const { write, disk, step } = prepared;
  const { path, after } = write;
  const now = await lookAt(files, path);
  if (now.kind !== disk.kind || now.sha256 !== disk.sha256 || now.link !== disk.link) {
    throw stale(path);
  }
  await refuseWayOut(files, write.root, path);
  if (after.kind === "absent") {
    await withPath("delete", path, () => files.remove(path));
    return;
  }
  await withPath("write", path, async () => {
    await files.makeDirectory(dirname(path));
    if (after.kind === "symlink") await files.symlink(after.link, step.temporary);
    else await files.create(step.temporary, after.bytes, { mode: prepared.mode, flush });
    await files.rename(step.temporary, path);
    if (flush) await files.flushDirectory(dirname(path));
  });
  if (after.kind === "symlink") return;
  const written = await readBytes(files, path);
  if (written === null || sha256(written) !== sha256(after.bytes)) {
    throw new AgentpackError("E_UNEXPECTED", `"${path}" does not hold what was written to it`);
  }
}
