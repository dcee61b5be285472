/**
 * Changes of the config repo that are more than one file: all of them, or none, wherever they are killed.
 * They need no snapshot, because the config repo is the user's to keep versions of.
 */

import { type Content, encodeText } from "../content.ts";
import { join } from "@std/path";
import { wantsFlush } from "../identity.ts";
import type { Pack } from "../pack.ts";
import { writeCopies } from "./history.ts";
import { emptied } from "./disk.ts";
import { changeDirectory, type HeldLock, type Journal, writeJournal } from "./journal.ts";
import {
  carryOutSteps,
  directoriesToCreate,
  newSnapshotId,
  prepareSteps,
  type StepWrite,
} from "./transaction.ts";

/** The write of a whole file below a root. */
export function fileWrite(
  root: string,
  path: string,
  content: string | Content,
  executable = false,
): StepWrite {
  const bytes = typeof content === "string" ? encodeText(content) : content;
  return { root, path, expected: undefined, after: { kind: "file", bytes, executable } };
}

/**
 * Writes and deletes files of the config repo as one change; directories that become empty go, up to the
 * root of each file. Throws `E_PLAN_STALE` when one is not what was expected, and `E_IO_*`.
 */
export async function changeRepo(
  pack: Pack,
  held: HeldLock,
  writes: readonly StepWrite[],
): Promise<void> {
  if (writes.length === 0) return;
  const { files } = pack.system;
  const { home } = held;
  const id = String(await newSnapshotId(pack, held));
  const kept = changeDirectory(home, id);
  const numbers = new Map(writes.map((write, index) => [write.path, index]));
  const prepared = await prepareSteps(
    files,
    id,
    writes,
    (write) => join(kept, String(numbers.get(write.path) ?? 0)),
  );
  const journal: Journal = {
    version: 1,
    snapshot_id: id,
    phase: "applying",
    steps: prepared.map(({ step }) => step),
    created_directories: await directoriesToCreate(files, prepared),
    prune: emptied(writes.filter((write) => write.after.kind === "absent")),
  };
  const flush = wantsFlush(pack.system.env);
  await carryOutSteps(files, held, { journal, prepared, flush }, {
    prepare: () =>
      writeCopies(
        files,
        new Map(
          prepared.flatMap(({ disk, backup }) => disk.bytes === null ? [] : [[backup, disk.bytes]]),
        ),
        flush,
      ),
    decide: () => writeJournal(files, home, { ...journal, phase: "committed" }),
  });
}
