/**
 * Lets the processes of this program take turns where they write into the same repository: two ecosystems share their
 * control repository, and git fails while another git holds its index.
 *
 * @module
 */

import { join } from "@std/path";
import type { FileLock, System } from "../system/mod.ts";
import { STAGING, TURN_LOCK } from "../system/temporary.ts";
import { commonDirectory } from "./directory.ts";

/** How long to wait for a turn, in milliseconds. Hooks may take longer; git itself decides then. */
const PATIENCE_MS = 30_000;
const POLL_MS = 20;

/** Does work on the repository at `path` while no other process of this program does any. */
export async function inTurn<T>(system: System, path: string, work: () => Promise<T>): Promise<T> {
  const lock = await takeTurn(system, path);
  try {
    return await work();
  } finally {
    await lock?.release();
  }
}

async function takeTurn(system: System, path: string): Promise<FileLock | null> {
  const common = await commonDirectory(system, path);
  if (common === null) return null;
  const { clock, files } = system;
  const asked = clock.now();
  while (clock.now() - asked < PATIENCE_MS) {
    let lock: FileLock | null;
    try {
      lock = await files.lock(join(common, STAGING, TURN_LOCK));
    } catch {
      // If the git directory is not writable, git's own message is better than one from here.
      return null;
    }
    if (lock !== null) return lock;
    await clock.sleep(POLL_MS);
  }
  return null;
}
