/**
 * `fetch`: fills the checkouts that the lockfile names, and verifies them (PACK-8, PACK-54).
 *
 * @module
 */

import { count } from "../../text/words.ts";
import { requireLockfile } from "../config/lockfile.ts";
import { type Act, declare, members } from "../declare/command.ts";
import { type Home } from "../identity/home.ts";
import { posix } from "../io.ts";
import type { Answer, Pack } from "../pack.ts";
import { fetchLocked } from "../source/fetch.ts";

/** `data` of `fetch`. */
export interface FetchData {
  readonly store: string;
  readonly store_posix: string;
  /** How many modules with a git source were verified. */
  readonly git_modules_fetched: number;
}

/** Fetches everything the lockfile names. Answers how many modules come from git. */
export async function fetchAll(pack: Pack, home: Home): Promise<number> {
  const lockfile = await requireLockfile(pack.system.files, home.lockfile);
  let fetched = 0;
  for (const module of lockfile.modules) {
    if (await fetchLocked(pack, home, module)) fetched++;
  }
  return fetched;
}

/** Fills the checkouts that the lockfile names and verifies them. Throws `E_LOCKFILE_*`. */
async function fill({ pack, home }: Act): Promise<Answer<FetchData>> {
  return {
    data: {
      store: home.checkouts,
      store_posix: posix(home.checkouts),
      git_modules_fetched: await fetchAll(pack, home),
    },
    warnings: [],
  };
}

/** `fetch`. */
export const fetch = declare({
  path: ["fetch"],
  summary: "Fetch what the lockfile names, and verify it.",
  options: {},
  examples: ["fetch --yes"],
  changes: { asks: "first" },
  act: fill,
  answers: members<FetchData>("store", "store_posix", "git_modules_fetched"),
  render: ({ data }) => `Verified ${count(data.git_modules_fetched, "git module")}`,
});
