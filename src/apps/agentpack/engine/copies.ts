/**
 * Copies of contents that a snapshot keeps. What a file had already when an earlier snapshot was made is not written
 * again: its copy is another name for the earlier one, where the file system has such names.
 */

import { dirname } from "@std/path";
import { inPool } from "../../../base/async/pool.ts";
import type { Files } from "../../../base/system/mod.ts";
import type { Home } from "../identity/home.ts";
import { type Content, createFile, encodeText, hashOf, holds } from "../content.ts";
import { safePoint } from "../interrupt.ts";
import { FILES_AT_ONCE, withPath } from "../io.ts";
import { isTargetName, type TargetName } from "../names.ts";
import { fileKey } from "./roots.ts";
import {
  deployedPath,
  isComplete,
  readSnapshotRecord,
  recordPath,
  snapshotIds,
} from "./snapshot.ts";

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
export function entryCopyPath(path: string, name: string): string {
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
