/**
 * Carries out a list of writes and deletes as one change, with a snapshot record; `journal.ts` explains how
 * it survives being killed.
 */

import { dirname, join } from "@std/path";
import type { Files } from "../../../base/system/mod.ts";
import { createFile, hashOf, holds } from "../content.ts";
import { AgentpackError, toAgentpackError } from "../error.ts";
import { type Home, wantsFlush } from "../identity.ts";
import { safePoint, steady } from "../interrupt.ts";
import { FILES_AT_ONCE, isNoSpace, withPath, writeFile } from "../io.ts";
import { nowNanos, type TargetName } from "../names.ts";
import type { Pack } from "../pack.ts";
import { nameOf } from "../../../state/entries/types.ts";
import { type After, missingParents, modeAfter, octal, type OnDisk, readOnDisk } from "./disk.ts";
import {
  abandon,
  finish,
  type HeldLock,
  type Journal,
  type JournalStep,
  writeJournal,
} from "./journal.ts";
import { type Copy, writeCopies } from "./history.ts";
import {
  compareIds,
  copiesOf,
  copyName,
  deployedCopies,
  deployedPath,
  listRecords,
  type RecordedChange,
  recordPath,
  recordText,
  snapshotIds,
  type SnapshotRecord,
} from "./snapshot.ts";
import { inPool } from "../../../base/async/pool.ts";
import { refuseEscape } from "./roots.ts";

/** One destination to change. */
export interface StepWrite {
  readonly path: string;
  /** The root it lies below, which no linked directory may lead out of. */
  readonly root: string;
  /** The hash that must be there now, null for nothing; undefined takes whatever is there. */
  readonly expected: string | null | undefined;
  readonly after: After;
}

/** A write with what was found at its destination. */
interface Prepared<W extends StepWrite = StepWrite> {
  readonly write: W;
  readonly disk: OnDisk;
  readonly step: JournalStep;
  readonly backup: string;
  readonly mode: number;
}

function stale(path: string): AgentpackError {
  return new AgentpackError(
    "E_PLAN_STALE",
    `"${path}" changed since the plan was made; plan again`,
    { path },
  );
}

/** Looks at every destination, each once. Throws `E_PLAN_STALE` when one is not what was expected. */
export async function prepareSteps<W extends StepWrite>(
  files: Files,
  id: string,
  writes: readonly W[],
  backupOf: (write: W) => string,
): Promise<Prepared<W>[]> {
  const seen = new Set<string>();
  const once = writes.filter(({ path }) => !seen.has(path) && seen.add(path));
  return await inPool(
    FILES_AT_ONCE,
    once.map((write, index) => ({ write, index })),
    async (item) => {
      const { write, index } = item;
      await refuseEscape(files, write.root, write.path);
      const disk = await readOnDisk(files, write.path);
      if (write.expected !== undefined && disk.sha256 !== write.expected) throw stale(write.path);
      const backup = backupOf(write);
      return {
        write,
        disk,
        backup,
        mode: modeFor(write.after, disk),
        step: {
          path: write.path,
          temporary: join(dirname(write.path), `.agentpack-${id}-${index}.tmp`),
          before: stateBefore(disk, backup),
          after: write.after.kind === "file"
            ? { kind: "file", sha256: hashOf(write.after.bytes) }
            : write.after,
        },
      };
    },
  );
}

function stateBefore(disk: OnDisk, backup: string): JournalStep["before"] {
  if (disk.kind === "symlink") return { kind: "symlink", link: disk.link ?? "" };
  return disk.kind === "absent" || disk.sha256 === null
    ? { kind: "absent" }
    : { kind: "file", sha256: disk.sha256, mode: disk.mode, backup };
}

function modeFor(after: After, disk: OnDisk): number {
  if (after.kind !== "file") return 0;
  return after.mode ?? modeAfter(disk.mode, after.executable);
}

/** The directories that steps have to make, the outermost first. */
export async function directoriesToCreate(
  files: Files,
  prepared: readonly Prepared[],
): Promise<string[]> {
  const parents = new Map(
    prepared.filter(({ write }) => write.after.kind !== "absent")
      .map(({ write }) => [dirname(write.path), write.path]),
  );
  const missing = await inPool(
    FILES_AT_ONCE,
    [...parents.values()],
    (path) => missingParents(files, path),
  );
  return [...new Set(missing.flat())].sort((a, b) => a.length - b.length);
}

/** Does one step, after one more look at its destination. Throws `E_PLAN_STALE`, `E_IO_*`. */
async function performStep(files: Files, prepared: Prepared, flush: boolean): Promise<void> {
  const { write, disk, step } = prepared;
  const { path, after } = write;
  const now = await readOnDisk(files, path);
  if (now.kind !== disk.kind || now.sha256 !== disk.sha256 || now.link !== disk.link) {
    throw stale(path);
  }
  await refuseEscape(files, write.root, path);
  if (after.kind === "absent") {
    await withPath("delete", path, () => files.remove(path));
    return;
  }
  await withPath("write", path, async () => {
    await files.makeDirectory(dirname(path));
    if (after.kind === "symlink") await files.symlink(after.link, step.temporary);
    else await createFile(files, step.temporary, after.bytes, { mode: prepared.mode, flush });
    await files.rename(step.temporary, path);
    if (flush) await files.flushDirectory(dirname(path));
  });
  if (after.kind === "symlink") return;
  if (!await withPath("read", path, () => holds(files, path, after.bytes))) {
    throw new AgentpackError("E_UNEXPECTED", `"${path}" does not hold what was written to it`);
  }
}

/** One destination of a target to change. */
export interface Write extends StepWrite {
  readonly target: TargetName;
  readonly op: RecordedChange["op"];
  /** Somebody edited what lies there since it was deployed. */
  readonly edited?: boolean;
  /** Of a shared file: which of its entries change. */
  readonly entries?: readonly { readonly key: string; readonly op: string }[];
}

interface Change {
  readonly id: string;
  readonly writes: readonly Write[];
  /** Deployed contents to keep. */
  readonly copies: readonly Copy[];
  /** Directories to remove in the end if they are empty, the innermost first. */
  readonly prune: readonly string[];
  /** The record without `changes`, `created_directories` and `status`. */
  readonly record: SnapshotRecord;
}

/** A new snapshot id: nanoseconds since the epoch, later than every existing one. */
export async function newSnapshotId(pack: Pack, held: HeldLock): Promise<bigint> {
  const now = nowNanos(pack.system.clock);
  const last = (await snapshotIds(pack.system.files, held.home)).at(-1);
  return last === undefined || compareIds(last, String(now)) < 0 ? now : BigInt(last) + 1n;
}

/** Where the copy of a file is that a change replaced. */
function backupPath(home: Home, id: string, target: string, path: string): string {
  return join(copiesOf(home, id), "backup", target, copyName(path));
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
  const prepared = await prepareSteps(
    files,
    change.id,
    change.writes,
    (write) => backupPath(home, change.id, write.target, write.path),
  );
  const created = await directoriesToCreate(files, prepared);
  const record: SnapshotRecord = {
    ...change.record,
    changes: prepared.filter(({ write }) => write.entries === undefined).map(toRecorded),
    ...sharedChanges(prepared),
    created_directories: created,
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
  const write = (status: "pending" | "complete") =>
    writeFile(files, recordPath(home, change.id), recordText({ ...record, status }));
  await carryOutSteps(files, held, { journal, prepared, flush }, {
    async prepare() {
      await write("pending");
      await keepCopies(files, held, { change, prepared, flush });
    },
    decide: () => write("complete"),
  });
  return { ...record, status: "complete" };
}

/** What a kind of change does around its steps. */
interface Frame {
  /** Keeps what taking the steps back needs. Nothing outside of the state directory is touched yet. */
  prepare(): Promise<void>;
  /** The one write after which the change stands. */
  decide(): Promise<void>;
}

/** Carries prepared steps out in the stages that `journal.ts` explains: all of them, or none. */
export async function carryOutSteps(
  files: Files,
  held: HeldLock,
  { journal, prepared, flush }: {
    readonly journal: Journal;
    readonly prepared: readonly Prepared[];
    readonly flush: boolean;
  },
  frame: Frame,
): Promise<void> {
  const { home } = held;
  // A call may end between two steps; whatever is then done about it comes to its end.
  const sure = steady(files);
  let applying = false;
  try {
    await writeJournal(sure, home, { ...journal, phase: "preparing", steps: [] });
    await frame.prepare();
    await writeJournal(sure, home, journal);
    applying = true;
    for (const one of prepared) {
      await safePoint(files);
      await performStep(sure, one, flush);
    }
    await frame.decide();
  } catch (error) {
    const phase = applying ? "applying" : "preparing";
    throw await takeBack(sure, held, { ...journal, phase }, error);
  }
  try {
    await finish(sure, home, journal);
  } catch {
    // The change is complete; the next one cleans up what is left.
  }
}

/** Removes what changes that failed were to deploy: nothing can be restored from it. */
async function dropFailedCopies(files: Files, home: Home): Promise<void> {
  for (const { record } of (await listRecords(files, home)).records) {
    if (record.status === "failed") await files.removeTree(deployedCopies(home, record.id));
  }
}

/** Undoes a failed change at once; what cannot be undone now is left to the next one. */
async function takeBack(
  files: Files,
  held: HeldLock,
  journal: Journal,
  failure: unknown,
): Promise<AgentpackError> {
  const error = toAgentpackError(failure);
  try {
    await abandon(files, held.home, journal);
    if (isNoSpace(error)) {
      // Attempt after attempt would leave a record, and each takes some of the space that is missing.
      await files.remove(recordPath(held.home, journal.snapshot_id));
      await dropFailedCopies(files, held.home);
    }
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

/** The changes of files of which only entries are ours, where there are any. */
function sharedChanges(
  prepared: readonly Prepared<Write>[],
): Pick<SnapshotRecord, "shared_changes"> {
  const shared = prepared.filter(({ write }) => write.entries !== undefined).map(toRecorded);
  return shared.length === 0 ? {} : { shared_changes: shared };
}

function toRecorded({ write, disk, backup }: Prepared<Write>): RecordedChange {
  const { after } = write;
  return {
    target: write.target,
    op: write.op,
    path: write.path,
    ...(disk.sha256 === null ? {} : { before_sha256: disk.sha256, backup_path: backup }),
    ...(after.kind === "file" ? { after_sha256: hashOf(after.bytes) } : {}),
    ...(disk.kind === "file" && disk.mode !== null ? { before_mode: octal(disk.mode) } : {}),
    ...(disk.link === null ? {} : { before_link: disk.link }),
    ...(write.entries === undefined ? {} : {
      entries: write.entries.map(({ key, op }) => ({
        name: nameOf(key),
        op,
      })),
    }),
  };
}

async function keepCopies(
  files: Files,
  held: HeldLock,
  { change, prepared, flush }: {
    readonly change: Change;
    readonly prepared: readonly Prepared<Write>[];
    readonly flush: boolean;
  },
): Promise<void> {
  const copies = new Map<string, Copy>();
  for (const { write: { target, path }, disk, backup } of prepared) {
    if (disk.bytes !== null) copies.set(backup, { target, path, bytes: disk.bytes });
  }
  for (const copy of change.copies) {
    copies.set(deployedPath(held.home, change.id, copy.target, copy.path), copy);
  }
  await writeCopies(files, copies, flush, held.home);
}
