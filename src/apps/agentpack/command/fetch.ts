/** `fetch`: fills the checkouts that the lockfile names, and verifies them (PACK-8, PACK-54). */

import { join } from "@std/path";
import { count } from "../../../base/text/words.ts";
import { type LockedModule, requireLockfile } from "../config/lockfile.ts";
import { declare, members } from "../declare/command.ts";
import { shownPath } from "../declare/show.ts";
import type { Home } from "../identity.ts";
import { type Twins, withPosix } from "../io.ts";
import type { Answer, Pack } from "../pack.ts";
import { AgentpackError } from "../error.ts";
import { checkLocked, ensureCheckout, refuseLink } from "../source/resolve.ts";
import { hashTree, treeHash } from "../source/tree.ts";

/**
 * Makes sure that the checkout of a module is there and has the locked hash; one that was altered is fetched
 * anew once. Null for modules without a git source. Throws `E_LOCKFILE_INVALID` when the hash still differs,
 * `E_CONFIG_INVALID` for a link that leaves the checkout.
 */
async function fetchLocked(
  pack: Pack,
  home: Home,
  module: LockedModule,
): Promise<"verified" | "repaired" | null> {
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

/** `data` of `fetch`. */
interface FetchData extends Twins<"store"> {
  /** How many modules with a git source were verified. */
  readonly git_modules_fetched: number;
  /** Modules whose checkout had been altered and was fetched anew, where there are any. */
  readonly repaired?: readonly string[];
}

/** What a fetch came to. */
export interface FetchedAll extends Pick<FetchData, "git_modules_fetched" | "repaired"> {
  readonly warnings: readonly string[];
}

/** Fetches everything the lockfile names, and verifies it. */
export async function fetchAll(pack: Pack, home: Home): Promise<FetchedAll> {
  const lockfile = await requireLockfile(pack.system.files, home.lockfile);
  let fetched = 0;
  const repaired: string[] = [];
  for (const module of lockfile.modules) {
    const done = await fetchLocked(pack, home, module);
    if (done !== null) fetched++;
    if (done === "repaired") repaired.push(module.id);
  }
  return {
    git_modules_fetched: fetched,
    ...(repaired.length === 0 ? {} : { repaired }),
    warnings: repaired.map((id) =>
      `The checkout of "${id}" was not what the lockfile pins and was fetched anew; what was deployed from it may differ: see plan`
    ),
  };
}

/** What a fetch came to, in words. */
export function fetchedText(
  { git_modules_fetched: verified, repaired = [] }: Pick<
    FetchData,
    "git_modules_fetched" | "repaired"
  >,
): string {
  const anew = repaired.length === 0 ? "" : `; fetched anew: ${repaired.map(shownPath).join(", ")}`;
  return `Verified ${count(verified, "git module")}${anew}`;
}

/** `fetch`. */
export const fetch = declare({
  path: ["fetch"],
  summary: "Fetch what the lockfile names, and verify it.",
  options: {},
  examples: ["fetch --yes"],
  changes: { asks: "first" },
  async refuse({ pack, home }) {
    await requireLockfile(pack.system.files, home.lockfile);
  },
  async act({ pack, home }): Promise<Answer<FetchData>> {
    const { warnings, ...done } = await fetchAll(pack, home);
    return {
      data: { ...withPosix("store", home.checkouts), ...done },
      warnings,
    };
  },
  answers: members<FetchData>("store", "store_posix", "git_modules_fetched", "repaired"),
  render: ({ data }) => fetchedText(data),
});
