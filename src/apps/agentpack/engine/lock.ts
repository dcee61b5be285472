/** One change at a time per home (PACK-30). */

import type { System } from "../../../base/system/mod.ts";
import { AgentpackError } from "../error.ts";
import type { Home } from "../identity/home.ts";
import { steady } from "../interrupt.ts";
import { withPath } from "../io.ts";
import { repair } from "./journal.ts";

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
