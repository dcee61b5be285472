/**
 * `lock`, `fetch` and `update` (PACK-7, PACK-8).
 *
 * @module
 */

import { loadConfig } from "../config/config.ts";
import {
  type LockedModule,
  readLockfile,
  requireLockfile,
  writeLockfile,
} from "../config/lockfile.ts";
import { withHomeLock } from "../engine/lock.ts";
import { type Home, homeOf } from "../identity/home.ts";
import { posix } from "../io.ts";
import type { Answer, Approve, Pack, Selection } from "../pack.ts";
import { resolveUpstream } from "../source/resolve.ts";
import { hashTree, treeHash } from "../source/tree.ts";
import { formatNanos, nowNanos } from "../time.ts";
import { fetchLocked } from "../source/fetch.ts";

/** `data` of `lock`. */
export interface LockData {
  readonly lockfile: string;
  readonly lockfile_posix: string;
  /** How many modules are locked. */
  readonly modules: number;
}

/** `data` of `fetch`. */
export interface FetchData {
  readonly store: string;
  readonly store_posix: string;
  /** How many modules with a git source were verified. */
  readonly git_modules_fetched: number;
}

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

/** Locks every enabled module, whatever the profile. Answers how many. */
async function writeLock(pack: Pack, home: Home): Promise<number> {
  const config = await loadConfig(pack.system.files, home.config);
  const modules: LockedModule[] = [];
  for (const module of config.modules.filter((module) => module.enabled)) {
    const upstream = await resolveUpstream(pack, home, module, { lockfile: null });
    const facts = await hashTree(pack.system.files, upstream.root);
    const { source } = upstream;
    modules.push({
      id: module.id,
      type: module.type,
      resolved_source: source.kind === "git"
        ? {
          local_path: null,
          git: { url: source.url, commit: source.commit, subdir: source.subdir },
        }
        : { local_path: { path: posix(source.path) }, git: null },
      resolved_version: source.kind === "git" ? source.commit : "local",
      sha256: treeHash(facts),
      file_manifest: facts.map((fact) => ({ ...fact })),
    });
  }
  const now = formatNanos(nowNanos(pack.system.clock));
  await writeLockfile(pack.system.files, home.lockfile, modules, now);
  return modules.length;
}

/** Writes the lockfile. */
export async function lock(pack: Pack, selection: Selection): Promise<Answer<LockData>> {
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(pack.system, home, async (held) => {
    const modules = await writeLock(pack, home);
    return {
      data: { lockfile: home.lockfile, lockfile_posix: posix(home.lockfile), modules },
      warnings: held.warnings,
    };
  });
}

async function fetchAll(pack: Pack, home: Home): Promise<number> {
  const lockfile = await requireLockfile(pack.system.files, home.lockfile);
  let fetched = 0;
  for (const module of lockfile.modules) {
    if (await fetchLocked(pack, home, module)) fetched++;
  }
  return fetched;
}

/** Fills the checkouts that the lockfile names and verifies them. Throws `E_LOCKFILE_*`. */
export async function fetch(pack: Pack, selection: Selection): Promise<Answer<FetchData>> {
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(pack.system, home, async (held) => {
    const fetched = await fetchAll(pack, home);
    return {
      data: {
        store: home.checkouts,
        store_posix: posix(home.checkouts),
        git_modules_fetched: fetched,
      },
      warnings: held.warnings,
    };
  });
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
