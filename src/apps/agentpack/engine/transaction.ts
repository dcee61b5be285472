/**
 * Carries out a list of writes and deletes as one change, with a snapshot record; `journal.ts` explains how
 * it survives being killed.
 */

import type { Files } from "../../../base/system/mod.ts";
import { hashOf } from "../content.ts";
import { AgentpackError, toAgentpackError } from "../error.ts";
import { wantsFlush } from "../identity/home.ts";
import { safePoint, steady } from "../interrupt.ts";
import { isNoSpace, writeFile } from "../io.ts";
import type { TargetName } from "../names.ts";
import type { Pack } from "../pack.ts";
import { nameOf } from "../../../state/entries/types.ts";
import { nowNanos } from "../time.ts";
import { octal } from "./disk.ts";
import { abandon, finish, type Journal, writeJournal } from "./journal.ts";
import { type Copy, writeCopies } from "./copies.ts";
import type { HeldLock } from "./lock.ts";
import {
  backupPath,
  compareIds,
  deployedPath,
  dropFailedCopies,
  type RecordedChange,
  recordPath,
  recordText,
  snapshotIds,
  type SnapshotRecord,
} from "./snapshot.ts";
import {
  directoriesToCreate,
  performStep,
  type Prepared,
  prepareSteps,
  type StepWrite,
} from "./steps.ts";

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
