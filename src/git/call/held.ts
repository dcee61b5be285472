/**
 * Waits for another program's git that holds the index of a repository for a moment: an editor, a prompt, a person in
 * another terminal (WORKSPACE-27).
 *
 * @module
 */

import type { ProcessResult, System } from "../../base/system/mod.ts";
import { LEFT_MS } from "./locks.ts";

/** Waits before the next tries, in milliseconds: three seconds in all. */
const WAITS_MS = [50, 100, 200, 400, 800, 1_600];
/** How git ends where it cannot take the lock. What a hook refuses that has met one ends otherwise: it ran already. */
const NO_LOCK = 128;
/** Each takes the lock of the index before it changes anything, so what failed for want of it can be repeated. */
const LOCKS_FIRST: ReadonlySet<string> = new Set([
  "add",
  "checkout",
  "commit",
  "reset",
  "rm",
  "switch",
  "update-index",
]);
const HELD = /unable to create '(.*[\\/]index\.lock)': file exists/i;

/** With which exit code a call fails for want of the lock that it takes first; null where it may have done something. */
function codeOf(args: readonly string[]): number | null {
  const [verb = ""] = args;
  if (LOCKS_FIRST.has(verb)) return NO_LOCK;
  return verb === "merge" && args.includes("--ff-only") ? 1 : null;
}

/** Whether a call failed because of a lock that somebody may be about to give back. */
async function isHeld(system: System, stderr: string): Promise<boolean> {
  const path = HELD.exec(stderr)?.[1];
  if (path === undefined) return false;
  const made = (await system.files.lstat(path))?.modifiedMs ?? null;
  return made === null || system.clock.now() - made < LEFT_MS;
}

/**
 * Runs git, and again while another git holds the index and this one has done nothing yet; resolves to how the last
 * try ended. The signal ends the wait, and the try after it then says that it was ended.
 */
export async function unlessHeld<T extends ProcessResult>(
  system: System,
  { args, signal }: { readonly args: readonly string[]; readonly signal: AbortSignal | undefined },
  run: () => Promise<T>,
): Promise<T> {
  let result = await run();
  const code = codeOf(args);
  for (const wait of WAITS_MS) {
    if (result.exitCode !== code || !await isHeld(system, result.stderr)) break;
    await system.clock.sleep(wait, signal);
    result = await run();
  }
  return result;
}
