/**
 * Reads a file of a repository for editing: only a real file inside it, only as exact text.
 *
 * @module
 */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";

/** The largest file that is edited, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The text of a file, or why it cannot be edited; both null when there is no such file. */
export interface RepoFile {
  readonly path: string;
  readonly text: string | null;
  /** "leads out of the repository", to be put behind the name of the file. */
  readonly problem: string | null;
}

/** Reads `path`, relative to `directory`, which is given without symbolic links. */
export async function readRepoFile(
  system: System,
  directory: string,
  path: string,
): Promise<RepoFile> {
  const file = join(directory, path);
  const failed = (problem: string): RepoFile => ({ path, text: null, problem });
  const info = await system.files.lstat(file);
  if (info === null) return { path, text: null, problem: null };
  // Git keeps a link and not what it leads to, so nothing behind a link belongs to a release.
  if (info.kind === "symlink" || await system.files.realPath(file) !== file) {
    return failed("is a symbolic link or lies behind one");
  }
  if (info.kind !== "file") return failed("is not a file");
  if (info.size > MAX_BYTES) return failed(`has more than ${MAX_BYTES} bytes`);
  const bytes = await system.files.readBytes(file);
  try {
    return {
      path,
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
        bytes ?? new Uint8Array(),
      ),
      problem: null,
    };
  } catch {
    return failed("is not UTF-8 text");
  }
}
