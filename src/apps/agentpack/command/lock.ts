/** `lock`: pins every enabled module to a commit and a hash (PACK-7, PACK-54). */

import { count } from "../../../base/text/words.ts";
import { loadConfig } from "../config/config.ts";
import { type LockedModule, writeLockfile } from "../config/lockfile.ts";
import { declare, members } from "../declare/command.ts";
import { shownPath } from "../declare/show.ts";
import type { Home } from "../identity.ts";
import { posix, type Twins, withPosix } from "../io.ts";
import type { Answer, Pack } from "../pack.ts";
import { hashUpstream, resolveUpstream } from "../source/resolve.ts";
import { treeHash } from "../source/tree.ts";
import { formatNanos, nowNanos } from "../names.ts";

/** `data` of `lock`. */
interface LockData extends Twins<"lockfile"> {
  /** How many modules are locked. */
  readonly modules: number;
}

/** Locks every enabled module, whatever the profile. Answers how many. */
export async function writeLock(pack: Pack, home: Home): Promise<number> {
  const config = await loadConfig(pack.system.files, home.config);
  const modules: LockedModule[] = [];
  for (const module of config.modules.filter((module) => module.enabled)) {
    const upstream = await resolveUpstream(pack, home, module, { lockfile: null });
    const facts = await hashUpstream(pack.system.files, upstream);
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

/** `lock`. */
export const lock = declare({
  path: ["lock"],
  summary: "Write the lockfile: the commit and hash of every enabled module.",
  options: {},
  examples: ["lock --yes"],
  changes: { asks: "first" },
  async refuse({ pack, home }) {
    await loadConfig(pack.system.files, home.config);
  },
  async act({ pack, home }): Promise<Answer<LockData>> {
    const modules = await writeLock(pack, home);
    return {
      data: { ...withPosix("lockfile", home.lockfile), modules },
      warnings: [],
    };
  },
  answers: members<LockData>("lockfile", "lockfile_posix", "modules"),
  render: ({ data }) => `Locked ${count(data.modules, "module")} in ${shownPath(data.lockfile)}`,
});
