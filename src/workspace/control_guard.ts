/** What is guarded in the control repository itself. */

import { AmofError } from "../base/error.ts";
import type { System } from "../base/system/mod.ts";
import { ecosystemNames } from "./discover.ts";
import { type Guard, makeGuard } from "./manifest/guard.ts";
import { checkManifest } from "./manifest/manifest.ts";

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
