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
import { checkLocked, refuseLink } from "./resolve.ts";
import { hashTree, treeHash } from "./tree.ts";

/** What was done about the checkout of a module: it was as it should be, or somebody had altered it. */
type Fetched = "verified" | "repaired";

/**
 * Makes sure that the checkout of a module is there and has the locked hash; one that was altered is fetched
 * anew once. Null for modules without a git source. Throws `E_LOCKFILE_INVALID` when the hash still differs,
 * `E_CONFIG_INVALID` for a link that leaves the checkout.
 */
export async function fetchLocked(
  pack: Pack,
  home: Home,
  module: LockedModule,
): Promise<Fetched | null> {
  const { git } = module.resolved_source;
  if (!git) return null;
  checkLocked(module.id, git);
  const request = {
    moduleId: module.id,
    url: git.url,
    commit: git.commit,
    shallowRef: null,
  };
  const { files } = pack.system;
  const hash = async (directory: string) => {
    const boundary = await files.realPath(directory) ?? directory;
    const refuse = refuseLink(module.id);
    return treeHash(await hashTree(files, join(directory, git.subdir), { refuse, boundary }));
  };
  const first = await ensureCheckout(pack, home, request);
  // A checkout that somebody has tampered with is replaced by a fresh one.
  const found = await hash(first.directory).catch((error) => {
    if (first.fetched) throw error;
    return null;
  });
  if (found === module.sha256) return "verified";
  if (!first.fetched) {
    await pack.cache.system.files.removeTree(first.directory);
    const second = await ensureCheckout(pack, home, request);
    if (await hash(second.directory) === module.sha256) return "repaired";
  }
  throw new AgentpackError(
    "E_LOCKFILE_INVALID",
    `The files of "${module.id}" are not those that were locked`,
    { path: home.lockfile, module_id: module.id, error: "tree hash differs" },
  );
}
