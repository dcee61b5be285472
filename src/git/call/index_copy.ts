/**
 * Keeps the index of a working copy while a commit is made, so that a commit which fails leaves it as it was.
 *
 * The copy lies in the git directory until the commit is made or has failed. A process that was killed leaves it there,
 * and whoever tidies up afterwards brings it back.
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { ioErrorFacts } from "../../base/io_error.ts";
import { STAGING } from "../../base/system/temporary.ts";
import { shellWord } from "../../base/text/words.ts";
import { gitDirectory } from "./directory.ts";
import type { Runner } from "./runner.ts";

/** The name of the copy in {@linkcode STAGING}. */
const KEPT = "index.kept";

/** What stands in the first line of a copy. */
interface Header {
  /** The commit that was checked out, or null where there was none. */
  readonly head: string | null;
  /** When the index was written, in milliseconds since the epoch; null where there was no index. */
  readonly modifiedMs: number | null;
}

async function copyFile(git: Runner): Promise<{ directory: string; file: string } | null> {
  const directory = await gitDirectory(git.system, git.directory);
  return directory === null ? null : { directory, file: join(directory, STAGING, KEPT) };
}

async function headOf(git: Runner): Promise<string | null> {
  const result = await git.ask(
    ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
    { access: "read" },
    `read the commit of "${git.name}"`,
    ({ exitCode }) => exitCode === 1,
  );
  return result?.stdout.trim() ?? null;
}

/** Copies the index beside the commit `head` it belongs to. No process. */
export async function keepIndex(git: Runner, head: string | null): Promise<void> {
  const place = await copyFile(git);
  if (place === null) return;
  const { files } = git.system;
  const index = join(place.directory, "index");
  const info = await files.stat(index);
  const bytes = info === null ? null : await files.readBytes(index);
  const header: Header = {
    head,
    modifiedMs: bytes === null ? null : Math.floor(info?.modifiedMs ?? 0),
  };
  const line = new TextEncoder().encode(`${JSON.stringify(header)}\n`);
  const content = new Uint8Array(line.length + (bytes?.length ?? 0));
  content.set(line);
  content.set(bytes ?? new Uint8Array(), line.length);
  await files.remove(place.file);
  await files.create(place.file, content, { mode: 0o600, flush: false });
}

/** Forgets the copy; false where there is none. No process. */
export async function forgetIndex(git: Runner): Promise<boolean> {
  const place = await copyFile(git);
  return place !== null && await git.system.files.remove(place.file);
}

/**
 * Puts the kept index back where it was, if the commit that it belongs to is still checked out, and forgets the copy.
 * Answers whether it was put back. One process where there is a copy. Throws `git_failed` where another git is at work.
 */
export async function putIndexBack(git: Runner): Promise<boolean> {
  const place = await copyFile(git);
  if (place === null) return false;
  const { files } = git.system;
  const content = await files.readBytes(place.file);
  if (content === null) return false;
  const end = content.indexOf(0x0a);
  const header = headerIn(end < 0 ? "" : new TextDecoder().decode(content.subarray(0, end)));
  const mine = header !== null && await headOf(git) === header.head;
  if (mine) await replace(git, place.directory, content.subarray(end + 1), header.modifiedMs);
  await files.remove(place.file);
  return mine;
}

/** The header of a copy; null where it was cut off while it was written, which is before anything was changed. */
function headerIn(line: string): Header | null {
  try {
    return JSON.parse(line) as Header;
  } catch {
    return null;
  }
}

async function replace(
  git: Runner,
  directory: string,
  bytes: Uint8Array,
  modifiedMs: number | null,
): Promise<void> {
  const { files } = git.system;
  const index = join(directory, "index");
  if (modifiedMs === null) {
    await files.remove(index);
    return;
  }
  // The lock that git itself takes. With a later time than the index had, git would trust the times of files that
  // were written in the same moment, and overlook changes in them.
  const lock = `${index}.lock`;
  try {
    await files.create(lock, bytes, { modifiedMs });
  } catch (cause) {
    if (ioErrorFacts(cause)?.kind !== "already_exists") throw cause;
    throw new AmofError(
      "git_failed",
      `Cannot bring the index of "${git.name}" back: another git process is working there`,
      {
        hint: `Wait for it, or where it has died, remove ${
          shellWord(lock)
        }\nThen: amof doctor --repair`,
        details: { kind: "lock" },
        cause,
      },
    );
  }
  try {
    await files.rename(lock, index);
  } catch (error) {
    await files.remove(lock);
    throw error;
  }
}
