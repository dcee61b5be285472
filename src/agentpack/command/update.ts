/**
 * `update`: locks where there is no lockfile, then fetches (PACK-54).
 *
 * @module
 */

import { readLockfile } from "../config/lockfile.ts";
import { declare } from "../declare/command.ts";
import { onOrOff } from "../declare/option.ts";
import { lines } from "../declare/show.ts";
import { withHomeLock } from "../engine/lock.ts";
import { homeOf } from "../identity/home.ts";
import { posix } from "../io.ts";
import type { Answer, Approve, Pack, Selection } from "../pack.ts";
import { fetchAll } from "./fetch.ts";
import { writeLock } from "./lock.ts";

/** `data` of `update`. */
export interface UpdateData {
  readonly lockfile: string;
  readonly lockfile_posix: string;
  readonly store: string;
  readonly store_posix: string;
  readonly git_modules_fetched: number;
  readonly steps: readonly {
    readonly name: "lock" | "fetch";
    readonly ok: boolean;
    readonly detail: string;
  }[];
}

/**
 * Locks, unless there is a lockfile, and fetches; both can be forced on or off. Asks for approval unless both
 * are off.
 */
export async function update(
  pack: Pack,
  selection: Selection,
  options: {
    readonly lock?: boolean | undefined;
    readonly fetch?: boolean | undefined;
    readonly approve: Approve;
  },
): Promise<Answer<UpdateData>> {
  const home = homeOf(pack.system.env, selection.repo);
  const existing = await readLockfile(pack.system.files, home.lockfile);
  const doLock = options.lock ?? existing.kind === "missing";
  const doFetch = options.fetch ?? true;
  const steps: UpdateData["steps"][number][] = [];
  const answer = (fetched: number, warnings: readonly string[]): Answer<UpdateData> => ({
    data: {
      lockfile: home.lockfile,
      lockfile_posix: posix(home.lockfile),
      store: home.checkouts,
      store_posix: posix(home.checkouts),
      git_modules_fetched: fetched,
      steps,
    },
    warnings,
  });
  if (!doLock && !doFetch) return answer(0, []);
  await options.approve("update", { lock: doLock, fetch: doFetch });
  return await withHomeLock(pack.system, home, async (held) => {
    let fetched = 0;
    if (doLock) {
      const count = await writeLock(pack, home);
      steps.push({ name: "lock", ok: true, detail: `${count} modules locked` });
    }
    if (doFetch) {
      fetched = await fetchAll(pack, home);
      steps.push({ name: "fetch", ok: true, detail: `${fetched} git modules verified` });
    }
    return answer(fetched, held.warnings);
  });
}

/** `update`. */
export const updateCommand = declare({
  path: ["update"],
  summary: "Lock if there is no lockfile, then fetch.",
  options: {
    lock: onOrOff({ help: "Write the lockfile anew, or not at all" }),
    fetch: onOrOff({ help: "Fetch, or do not" }),
  },
  examples: ["update", "update --lock --yes", "update --no-fetch"],
  changes: () => ({ id: "update", asks: "late" }),
  run: ({ pack, selection, approve }, input) => update(pack, selection, { ...input, approve }),
  render: ({ data }) =>
    data.steps.length === 0
      ? "Nothing to do"
      : lines(data.steps.map((step) => `${step.name}: ${step.detail}`)),
});
