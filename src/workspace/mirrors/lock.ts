/** Turns at a mirror, between all processes of this machine (MIRROR-3). */

import { AmofError } from "../../base/error.ts";
import type { FileLock } from "../../base/system/mod.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import type { Borrower } from "../../state/store/mod.ts";

/** The part of a command's context that mirrors are made and kept with. */
export type MirrorTools =
  & Pick<
    ExecuteContext,
    "system" | "git" | "layout" | "report" | "signal"
  >
  & {
    /** Who is known to borrow. */
    readonly store: () => Promise<
      { readonly borrowers: { readonly of: (mirror: string) => readonly Borrower[] } }
    >;
    /** What stands beside the mirrors for whoever finds them; absent for those that clones of tickets borrow from. */
    readonly readme?: string;
  };

const POLL_MS = 50;
/** After so long the person who watches is told what is waited for. */
const TELL_MS = 1_000;
/** No transfer takes longer: whoever holds the lock then is stuck. */
const PATIENCE_MS = 2 * 60 * 60 * 1_000;

async function take(
  { system, report, signal }: Pick<MirrorTools, "system" | "report" | "signal">,
  place: string,
  name: string,
): Promise<FileLock> {
  const asked = system.clock.now();
  let told = false;
  for (;;) {
    if (signal.aborted) {
      throw new AmofError("cancelled", `Stopped waiting for the mirror of "${name}"`);
    }
    const lock = await system.files.lock(`${place}.lock`);
    if (lock !== null) return lock;
    const waited = system.clock.now() - asked;
    if (waited > PATIENCE_MS) {
      throw new AmofError(
        "timeout",
        `Cannot use the mirror of "${name}": another process has been at work on it for two hours`,
        { hint: "End that one, then repeat", details: { repo: name } },
      );
    }
    if (!told && waited > TELL_MS) {
      told = true;
      report.log("info", `${name}: waits for another process that works on its mirror`);
    }
    await system.clock.sleep(POLL_MS, signal);
  }
}

/**
 * Does work on a mirror while no other process does. The lock is that of the file `<mirror>.lock`, which the machine
 * lets go of when its holder ends in whatever way.
 */
export async function atMirror<T>(
  tools: Pick<MirrorTools, "system" | "report" | "signal">,
  { place, name }: { readonly place: string; readonly name: string },
  work: () => Promise<T>,
): Promise<T> {
  const lock = await take(tools, place, name);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
