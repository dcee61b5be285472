/** The steps of a change: what is found at each destination, and how one is written. */

import { dirname, join } from "@std/path";
import type { Files } from "../../../base/system/mod.ts";
import { AgentpackError } from "../error.ts";
import { type Content, createFile, hashOf, holds } from "../content.ts";
import { FILES_AT_ONCE, withPath } from "../io.ts";
import { inPool } from "../../../base/async/pool.ts";
import { missingParents, modeAfter, type OnDisk, readOnDisk } from "./disk.ts";
import type { JournalStep } from "./journal.ts";
import { refuseWayOut } from "./way_out.ts";

/** What will be at a destination. */
export type After =
  | { readonly kind: "absent" }
  | {
    readonly kind: "file";
    readonly bytes: Content;
    /** The mode it must have; without it, that of the file there, else 0644. */
    readonly mode?: number;
    /** Whether execute bits are added. */
    readonly executable: boolean;
  }
  | { readonly kind: "symlink"; readonly link: string };

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
export interface Prepared<W extends StepWrite = StepWrite> {
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
      await refuseWayOut(files, write.root, write.path);
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
          after: stateAfter(write.after),
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

function stateAfter(after: After): JournalStep["after"] {
  return after.kind === "file" ? { kind: "file", sha256: hashOf(after.bytes) } : after;
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
export async function performStep(files: Files, prepared: Prepared, flush: boolean): Promise<void> {
  const { write, disk, step } = prepared;
  const { path, after } = write;
  const now = await readOnDisk(files, path);
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
    else await createFile(files, step.temporary, after.bytes, { mode: prepared.mode, flush });
    await files.rename(step.temporary, path);
    if (flush) await files.flushDirectory(dirname(path));
  });
  if (after.kind === "symlink") return;
  if (!await withPath("read", path, () => holds(files, path, after.bytes))) {
    throw new AgentpackError("E_UNEXPECTED", `"${path}" does not hold what was written to it`);
  }
}
