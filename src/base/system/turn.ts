/** Lets the processes of this program take turns where they change the same thing. */

import type { FileLock, System } from "./mod.ts";

/** How long to wait for a turn, in milliseconds. */
const PATIENCE_MS = 30_000;
const POLL_MS = 20;

/**
 * The lock at `path`, once it is free. Null where it cannot be had: the directory is not writable, or somebody holds
 * it for longer than anybody waits.
 */
export async function takeTurn(
  { clock, files }: Pick<System, "clock" | "files">,
  path: string,
): Promise<FileLock | null> {
  const asked = clock.now();
  while (clock.now() - asked < PATIENCE_MS) {
    let lock: FileLock | null;
    try {
      lock = await files.lock(path);
    } catch {
      return null;
    }
    if (lock !== null) return lock;
    await clock.sleep(POLL_MS);
  }
  return null;
}
