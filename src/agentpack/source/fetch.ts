/**
 * Fills and verifies the checkout of a locked module (PACK-7, PACK-8).
 *
 * @module
 */

import { join } from "@std/path";
import type { LockedModule } from "../config/lockfile.ts";
import { AgentpackError } from "../error.ts";
import type { Home } from "../identity/home.ts";
import type { Pack } from "../pack.ts";
import { ensureCheckout } from "./checkout.ts";
import { checkLocked } from "./resolve.ts";
import { hashTree, treeHash } from "./tree.ts";

/**
 * Makes sure that the checkout of a module is there and has the locked hash; one that was altered is fetched
 * anew once. False for modules without a git source. Throws `E_LOCKFILE_INVALID` when the hash still differs.
 */
export async function fetchLocked(pack: Pack, home: Home, module: LockedModule): Promise<boolean> {
  const { git } = module.resolved_source;
  if (!git) return false;
  checkLocked(module.id, git);
  const request = {
    moduleId: module.id,
    url: git.url,
    commit: git.commit,
    shallowRef: null,
  };
  const hash = async (directory: string) =>
    treeHash(await hashTree(pack.system.files, join(directory, git.subdir)));
  const first = await ensureCheckout(pack, home, request);
  if (await hash(first.directory) === module.sha256) return true;
  if (!first.fetched) {
    await pack.cache.system.files.removeTree(first.directory);
    const second = await ensureCheckout(pack, home, request);
    if (await hash(second.directory) === module.sha256) return true;
  }
  throw new AgentpackError(
    "E_LOCKFILE_INVALID",
    `The files of "${module.id}" are not those that were locked`,
    { path: home.lockfile, module_id: module.id, error: "tree hash differs" },
  );
}
