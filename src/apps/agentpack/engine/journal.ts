/**
 * The journal of a change to destinations, and how a change that was cut short is taken back.
 *
 * A change is all or nothing, wherever it is killed. It goes through these stages, all under the lock of the
 * home (`lock.ts`):
 *
 * 1. `state/journal.json` is written with phase `preparing`: nothing outside of `state/` is touched yet.
 * 2. The snapshot record is written with status `pending`. Then copies are made of everything that will be
 *    replaced (`backup/`) and of everything that will be there (`state/`).
 * 3. The journal is written anew with phase `applying` and one step per destination. A step holds what was
 *    there, where its copy is, what will be there, and the name of the temporary file.
 * 4. The steps are done one by one. Each first compares the destination with what was there. A file is written
 *    beside its destination and renamed over it, so a destination is always old or new, never half.
 * 5. The record is written anew with status `complete`. This one rename decides between before and after. A
 *    change of the config repo has no record; its journal is written anew with phase `committed` instead.
 * 6. Directories that became empty are removed, then the journal.
 *
 * Whoever takes the lock and finds a journal finishes it first. With a complete record stage 6 is repeated.
 * Else every step is taken back from its copy, and the record is marked `failed`. Taking back looks at each
 * destination:
 *
 * - What is as before stays.
 * - What is as the step left it is restored.
 * - Anything else was changed by somebody since and is left alone.
 *
 * So repair can itself be cut short and repeated.
 *
 * A full disk must not end repair. So copies of what would have been there are deleted before anything is
 * restored, and all others when everything is as before. A record that cannot be marked is removed. Restoring
 * is then all that needs space.
 */

import { dirname, join } from "@std/path";
import type { output } from "zod";
import type { ZodNamespace } from "../../../contract/mod.ts";
import { builtOnce, isNoSpace, readJson, withPath, writeFile } from "../io.ts";
import type { Files, System } from "../../../base/system/mod.ts";
import { AgentpackError } from "../error.ts";
import type { Home } from "../identity.ts";
import { createFile, readContent } from "../content.ts";
import { type OnDisk, readOnDisk } from "./disk.ts";
import {
  copiesOf,
  deployedCopies,
  readSnapshotRecord,
  recordPath,
  recordText,
} from "./snapshot.ts";
import { steady } from "../interrupt.ts";

function build(z: ZodNamespace) {
  const mode = z.int().nullable();
  return z.looseObject({
    version: z.literal(1),
    snapshot_id: z.string(),
    phase: z.enum(["preparing", "applying", "committed"]),
    steps: z.array(z.looseObject({
      path: z.string(),
      /** Beside the destination. */
      temporary: z.string(),
      before: z.union([
        z.looseObject({ kind: z.literal("absent") }),
        z.looseObject({
          kind: z.literal("file"),
          sha256: z.string(),
          mode,
          backup: z.string(),
        }),
        z.looseObject({ kind: z.literal("symlink"), link: z.string() }),
      ]),
      after: z.union([
        z.looseObject({ kind: z.literal("absent") }),
        z.looseObject({ kind: z.literal("file"), sha256: z.string() }),
        z.looseObject({ kind: z.literal("symlink"), link: z.string() }),
      ]),
    })),
    /** Directories that did not exist before, the outermost first. */
    created_directories: z.array(z.string()),
    /** Directories to remove in the end if they are empty, the innermost first. */
    prune: z.array(z.string()),
  });
}

const schema = builtOnce(build);

/** A journal as it is in the file. */
export type Journal = output<ReturnType<typeof build>>;
/** One step of a journal. */
export type JournalStep = Journal["steps"][number];

/** Where the journal of a home is. */
export function journalPath(home: Home): string {
  return join(home.state, "journal.json");
}

/** Where a change of the config repo keeps what it replaces, until it stands or is taken back. */
export function changeDirectory(home: Home, id: string): string {
  return join(home.state, "changes", id);
}

/** Writes the journal in one step. */
export async function writeJournal(files: Files, home: Home, journal: Journal): Promise<void> {
  await writeFile(files, journalPath(home), `${JSON.stringify(journal)}\n`);
}

/** The journal that a change left behind, or null. Throws `E_UNEXPECTED` for one that cannot be read. */
export async function readJournal(files: Files, home: Home): Promise<Journal | null> {
  const path = journalPath(home);
  const read = await readJson(files, path);
  if (read === null) return null;
  const refuse = (why: string) =>
    new AgentpackError(
      "E_UNEXPECTED",
      `Cannot use the journal "${path}": ${why}. It says how to take a change back that was cut short; without it, look at what status and diff show, then move it away`,
    );
  if (typeof read === "string") throw refuse(read);
  const shape = (await schema()).safeParse(read.value);
  if (!shape.success) throw refuse("its shape is wrong");
  return shape.data;
}

/** Removes directories that are empty; anything else stays. */
export async function removeEmpty(files: Files, directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    const info = await files.lstat(directory);
    if (info?.kind !== "directory" || (await files.list(directory)).length > 0) continue;
    await files.remove(directory);
  }
}

function isBefore(now: OnDisk, before: JournalStep["before"]): boolean {
  if (now.kind !== before.kind) return false;
  if (before.kind === "symlink") return now.link === before.link;
  return before.kind === "absent" ||
    (now.sha256 === before.sha256 && (before.mode === null || now.mode === before.mode));
}

function isAfter(now: OnDisk, after: JournalStep["after"]): boolean {
  if (now.kind !== after.kind) return false;
  if (after.kind === "symlink") return now.link === after.link;
  return after.kind === "absent" || now.sha256 === after.sha256;
}

/** Why a destination is left alone although its step was to be taken back. */
type LeftAlone = "changed" | "no copy";

/** Brings one destination back and answers null, or why it is left alone. */
async function takeBack(files: Files, step: JournalStep): Promise<LeftAlone | null> {
  await files.remove(step.temporary);
  let now: OnDisk;
  try {
    now = await readOnDisk(files, step.path);
  } catch (error) {
    if (error instanceof AgentpackError && error.code === "E_IO_INVALID_PATH") return "changed";
    throw error;
  }
  const { before } = step;
  if (isBefore(now, before)) return null;
  if (!isAfter(now, step.after)) return "changed";
  if (before.kind === "absent") {
    await files.remove(step.path);
    return null;
  }
  await files.makeDirectory(dirname(step.path));
  if (before.kind === "symlink") await files.symlink(before.link, step.temporary);
  else {
    const size = (await files.stat(before.backup))?.size;
    const content = size === undefined ? null : await readContent(files, before.backup, size);
    if (content === null) return "no copy";
    const options = before.mode === null ? {} : { mode: before.mode };
    try {
      await createFile(files, step.temporary, content, options);
    } catch (error) {
      // On a full disk, half a file would be in the way of the next attempt.
      await files.remove(step.temporary);
      throw error;
    }
  }
  await files.rename(step.temporary, step.path);
  return null;
}

/** A step whose destination was left alone. */
interface Left {
  readonly step: JournalStep;
  readonly why: LeftAlone;
}

function leftWarning({ step: { path, before }, why }: Left): string {
  if (why === "no copy") {
    return `"${path}" could not be given back what it had: its copy is gone. It is left as the change made it`;
  }
  const copy = before.kind === "file" ? `; what was there before is in "${before.backup}"` : "";
  return `"${path}" was changed since and is left as it is${copy}`;
}

/** Takes every step of a journal back, the last first; answers the steps whose destinations were left alone. */
async function undo(files: Files, home: Home, journal: Journal): Promise<Left[]> {
  await files.removeTree(deployedCopies(home, journal.snapshot_id));
  const left: Left[] = [];
  for (const step of journal.steps.toReversed()) {
    const why = await withPath("restore", step.path, () => takeBack(files, step));
    if (why !== null) left.push({ step, why });
  }
  await removeEmpty(files, journal.created_directories.toReversed());
  return left;
}

/** Marks the record of a change that was taken back; without space for that, it goes. */
async function markFailed(files: Files, home: Home, id: string): Promise<void> {
  const path = recordPath(home, id);
  const record = await readSnapshotRecord(files, path);
  if (record === null || typeof record === "string") return;
  try {
    await writeFile(files, path, recordText({ ...record, status: "failed" }));
  } catch (error) {
    if (!isNoSpace(error)) throw error;
    await files.remove(path);
  }
}

/** Removes the copies of a change that was taken back, but for those of destinations that were left alone. */
async function dropCopies(
  files: Files,
  home: Home,
  journal: Journal,
  left: readonly Left[],
): Promise<void> {
  const id = journal.snapshot_id;
  const kept = left.flatMap(({ step: { before } }) =>
    before.kind === "file" ? [before.backup] : []
  );
  if (kept.length === 0) {
    await files.removeTree(copiesOf(home, id));
    await files.removeTree(changeDirectory(home, id));
    return;
  }
  await files.removeTree(deployedCopies(home, id));
  for (const { before } of journal.steps) {
    if (before.kind === "file" && !kept.includes(before.backup)) await files.remove(before.backup);
  }
}

/** Finishes a change that stands. */
export async function finish(files: Files, home: Home, journal: Journal): Promise<void> {
  await removeEmpty(files, journal.prune);
  await files.removeTree(changeDirectory(home, journal.snapshot_id));
  await files.remove(journalPath(home));
}

/**
 * Takes back what a change did, as far as its journal says that it had begun, and closes it. Answers what people
 * should know of it.
 */
export async function abandon(files: Files, home: Home, journal: Journal): Promise<string[]> {
  const left = journal.phase === "applying" ? await undo(files, home, journal) : [];
  await dropCopies(files, home, journal, left);
  await markFailed(files, home, journal.snapshot_id);
  await files.remove(journalPath(home));
  return left.map(leftWarning);
}

/** Whether a change was decided before it was cut short. */
async function stands(files: Files, home: Home, journal: Journal): Promise<boolean> {
  if (journal.phase === "committed") return true;
  const record = await readSnapshotRecord(files, recordPath(home, journal.snapshot_id));
  return record !== null && typeof record !== "string" && record.status === "complete";
}

/**
 * Finishes or takes back what a change left behind that was cut short; call it under the lock. Answers what
 * was done, as warnings.
 */
async function repair(files: Files, home: Home): Promise<string[]> {
  const journal = await readJournal(files, home);
  if (journal === null) return [];
  if (await stands(files, home, journal)) {
    await finish(files, home, journal);
    return [];
  }
  const id = journal.snapshot_id;
  const left = await abandon(files, home, journal);
  return [`The change ${id} was cut short and has been taken back`, ...left];
}

/** What a call that may not repair has to say of a change that was cut short or is still under way. */
export async function unfinished(files: Files, home: Home): Promise<string[]> {
  const journal = await readJournal(files, home);
  if (journal?.phase !== "applying" || await stands(files, home, journal)) return [];
  return [
    `The change ${journal.snapshot_id} was cut short, or is still under way: files may be as it left them. The next command that changes something takes it back first`,
  ];
}

// One change at a time per home (PACK-30).

/** The lock of a home, held; whoever has it may change destinations. */
export interface HeldLock {
  readonly home: Home;
  /** What an earlier change left behind and what became of it. */
  readonly warnings: readonly string[];
}

/**
 * Does something under the lock of a home, after what an earlier change left behind is finished. The lock
 * falls with the process, so a kill leaves none. Throws `E_LOCK_HELD` with the holder's `pid`.
 */
export async function withHomeLock<T>(
  system: System,
  home: Home,
  work: (held: HeldLock) => Promise<T>,
): Promise<T> {
  const { files } = system;
  const lock = await withPath("lock", home.lock, () => files.lock(home.lock));
  if (lock === null) {
    const note = Number(await files.readText(home.lock));
    const pid = Number.isInteger(note) && note > 0 ? note : null;
    throw new AgentpackError(
      "E_LOCK_HELD",
      `Another change is under way${pid === null ? "" : ` in process ${pid}`}`,
      { pid, path: home.lock },
    );
  }
  try {
    return await work({ home, warnings: await repair(steady(files), home) });
  } finally {
    await lock.release();
  }
}
