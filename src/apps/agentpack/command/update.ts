/** `update`: locks where there is no lockfile, then fetches (PACK-54). */

import { readLockfile } from "../config/lockfile.ts";
import { type Act, declare, members, onOrOff } from "../declare/command.ts";
import { lines } from "../declare/show.ts";
import { type Twins, withPosix } from "../io.ts";
import type { Answer } from "../pack.ts";
import { fetchAll, type FetchedAll, fetchedText } from "./fetch.ts";
import { writeLock } from "./lock.ts";

/** `data` of `update`. */
interface UpdateData extends Twins<"lockfile" | "store"> {
  readonly git_modules_fetched: number;
  /** Modules whose checkout had been altered and was fetched anew, where there are any. */
  readonly repaired?: readonly string[];
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
async function renew(
  { pack, home, approve }: Act,
  options: { readonly lock: boolean | undefined; readonly fetch: boolean | undefined },
): Promise<Answer<UpdateData>> {
  const existing = await readLockfile(pack.system.files, home.lockfile);
  const doLock = options.lock ?? existing.kind === "missing";
  const doFetch = options.fetch ?? true;
  if (doLock || doFetch) await approve({ lock: doLock, fetch: doFetch });
  const steps: UpdateData["steps"][number][] = [];
  let fetched: FetchedAll = { git_modules_fetched: 0, warnings: [] };
  if (doLock) {
    const count = await writeLock(pack, home);
    steps.push({ name: "lock", ok: true, detail: `${count} modules locked` });
  }
  if (doFetch) {
    fetched = await fetchAll(pack, home);
    steps.push({ name: "fetch", ok: true, detail: fetchedText(fetched) });
  }
  const { warnings, ...done } = fetched;
  return {
    data: {
      ...withPosix("lockfile", home.lockfile),
      ...withPosix("store", home.checkouts),
      ...done,
      steps,
    },
    warnings,
  };
}

/** `update`. */
export const update = declare({
  path: ["update"],
  summary: "Lock if there is no lockfile, then fetch.",
  options: {
    lock: onOrOff({ help: "Write the lockfile anew, or not at all" }),
    fetch: onOrOff({ help: "Fetch, or do not" }),
  },
  examples: ["update", "update --lock --yes", "update --no-fetch"],
  changes: { asks: "late" },
  act: renew,
  answers: members<UpdateData>(
    "lockfile",
    "lockfile_posix",
    "store",
    "store_posix",
    "git_modules_fetched",
    "repaired",
    "steps",
  ),
  render: ({ data }) =>
    data.steps.length === 0
      ? "Nothing to do"
      : lines(data.steps.map((step) => `${step.name}: ${step.detail}`)),
});
