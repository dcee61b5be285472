/** Which changes that a program made must not become a commit (CAMP-3), as a push holds them back; what is guarded. */

import { AmofError } from "../base/error.ts";
import type { System } from "../base/system/mod.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { few } from "../base/text/words.ts";
import type { PathChange } from "../git/write/mod.ts";
import { checkManifest, ecosystemNames } from "./manifest/manifest.ts";
import { type Guard, looksSecret, makeGuard, touches, touchText } from "./manifest/guard.ts";

/**
 * The guard of the control repository, which all of its ecosystems share: what any of them guards. An ecosystem whose
 * manifest cannot be used adds nothing to it.
 */
export async function guardOfControl(system: System, root: string): Promise<Guard> {
  const globs: string[] = [];
  for (const name of await ecosystemNames(system, root)) {
    try {
      const { manifest } = await checkManifest(system, root, name);
      globs.push(...manifest?.noTouchPaths ?? []);
    } catch (error) {
      // One broken ecosystem must not keep the others from being released.
      if (!(error instanceof AmofError)) throw error;
    }
  }
  return await makeGuard(globs);
}

const LINK = "160000";

/** Why these changes are held back, or null; `noTouch` are the globs of what nobody should change. */
export async function heldBack(
  changes: readonly PathChange[],
  noTouch: readonly string[],
): Promise<string | null> {
  const touched = touches(await makeGuard(noTouch), changes.map(({ path }) => path));
  if (touched.length > 0) return `no-touch paths would change: ${touchText(touched)}`;
  const named = (found: readonly PathChange[]) =>
    few(found.map(({ path }) => cleanLine(path, 80)), 3);
  const secret = changes.filter(({ path, status }) => status === "A" && looksSecret(path));
  if (secret.length > 0) return `new files look secret: ${named(secret)}`;
  const nested = changes.filter(({ modes }) => modes[1] === LINK);
  return nested.length === 0
    ? null
    : `repositories inside of it would be recorded: ${named(nested)}`;
}
