/**
 * `fetch`: fills the checkouts that the lockfile names, and verifies them (PACK-8, PACK-54).
 *
 * @module
 */

import { count } from "../../../base/text/words.ts";
import { requireLockfile } from "../config/lockfile.ts";
import { type Act, declare, members } from "../declare/command.ts";
import { shownPath } from "../declare/show.ts";
import { type Home } from "../identity/home.ts";
import { posix } from "../io.ts";
import type { Answer, Pack } from "../pack.ts";
import { fetchLocked } from "../source/fetch.ts";

/** `data` of `fetch`. */
interface FetchData {
  readonly store: string;
  readonly store_posix: string;
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

/** Fills the checkouts that the lockfile names and verifies them. Throws `E_LOCKFILE_*`. */
async function fill({ pack, home }: Act): Promise<Answer<FetchData>> {
  const { warnings, ...done } = await fetchAll(pack, home);
  return {
    data: { store: home.checkouts, store_posix: posix(home.checkouts), ...done },
    warnings,
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
  act: fill,
  answers: members<FetchData>("store", "store_posix", "git_modules_fetched", "repaired"),
  render: ({ data }) => fetchedText(data),
});
