/**
 * Copies of contents that a snapshot keeps. One content is on the disk once, however many files had it and however
 * many snapshots keep it: a copy is another name for an earlier one where the file system has such names.
 *
 * @module
 */

import { dirname } from "@std/path";
import { inPool } from "../../async/pool.ts";
import { sha256 } from "../../hash.ts";
import type { Files } from "../../system/mod.ts";
import type { Home } from "../identity/home.ts";
import { safePoint } from "../interrupt.ts";
import { FILES_AT_ONCE, readBytes, withPath } from "../io.ts";
import { isTargetName } from "../names.ts";
import { deployedPath, isComplete, readRecord, recordPath, snapshotIds } from "./snapshot.ts";

/** Copies may hold what others must not read, whatever the original's mode says. */
const COPY_MODE = 0o600;

/** In how many snapshots, from the newest, earlier copies are looked for. */
const LOOK_BACK = 3;

/** Contents by the paths their copies are to have. */
export type Copies = ReadonlyMap<string, Uint8Array>;

interface Content {
  readonly sha256: string;
  readonly bytes: Uint8Array;
  readonly paths: string[];
}

function byContent(copies: Copies): Map<string, Content> {
  const hashes = new Map<Uint8Array, string>();
  const contents = new Map<string, Content>();
  for (const [path, bytes] of copies) {
    const hash = hashes.get(bytes) ?? sha256(bytes);
    hashes.set(bytes, hash);
    const content = contents.get(hash) ?? { sha256: hash, bytes, paths: [] };
    content.paths.push(path);
    contents.set(hash, content);
  }
  return contents;
}

/** Where the newest snapshots keep contents with these hashes. */
async function keptBefore(
  files: Files,
  home: Home,
  wanted: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, string>> {
  const kept = new Map<string, string>();
  for (const id of (await snapshotIds(files, home)).slice(-LOOK_BACK).reverse()) {
    const record = await readRecord(files, recordPath(home, id)).catch(() => null);
    if (record === null || typeof record === "string" || !isComplete(record)) continue;
    for (const { target, path, sha256: hash } of record.managed_files) {
      if (!isTargetName(target) || !wanted.has(hash) || kept.has(hash)) continue;
      kept.set(hash, deployedPath(home, id, target, path));
    }
    if (kept.size === wanted.size) break;
  }
  return kept;
}

/** An earlier copy, as long as it still is what it was. */
async function intact(
  files: Files,
  path: string | undefined,
  hash: string,
): Promise<string | null> {
  if (path === undefined) return null;
  const bytes = await readBytes(files, path).catch(() => null);
  return bytes !== null && sha256(bytes) === hash ? path : null;
}

/**
 * Writes copies of contents to files that do not exist yet. With the `home`, what its newest snapshots keep is used
 * again; but not when copies are flushed, since earlier ones may not have been.
 */
export async function writeCopies(
  files: Files,
  copies: Copies,
  flush: boolean,
  home: Home | null = null,
): Promise<void> {
  const directories = new Set([...copies.keys()].map(dirname));
  for (const directory of directories) {
    await withPath("create", directory, () => files.makeDirectory(directory));
  }
  const contents = byContent(copies);
  const kept = home === null || flush ? null : await keptBefore(files, home, contents);
  await inPool(FILES_AT_ONCE, [...contents.values()], async (content) => {
    let from = await intact(files, kept?.get(content.sha256), content.sha256);
    for (const path of content.paths) {
      await safePoint(files);
      if (from !== null && await files.link(from, path)) continue;
      const { bytes } = content;
      await withPath("write", path, () => files.create(path, bytes, { mode: COPY_MODE, flush }));
      from = path;
    }
  });
  if (!flush) return;
  for (const directory of directories) await files.flushDirectory(directory);
}
