/** What the command layer works with: the world, the store, and the options a door was started with. */

import type { Layout, Store } from "../state/store/mod.ts";
import { insist } from "../state/store/sql.ts";
import { NO_SETTINGS, type Settings } from "../state/settings/mod.ts";
import type { System } from "../base/system/mod.ts";
import { AmofError } from "../base/error.ts";
import { cleanLine } from "../base/text/sanitize.ts";

/** How long the database is tried to be opened, in milliseconds. */
const OPENING_MS = 3_000;

/** The program as both doors see it. */
export interface App {
  readonly system: System;
  readonly layout: Layout;
  /** What the user file and the environment say; flags of a call count before it. */
  readonly settings: Settings;
  /** `--root`, or null. */
  readonly root: string | null;
  /** `--jobs` or the setting, or null for the default. */
  readonly jobs: number | null;
  /** How long one transfer may take, in seconds; null for as long as it makes progress. */
  readonly timeout: number | null;
  /** The process at whose terminal a person watches what this one works on; null when nobody does. */
  readonly asker: number | null;
  /** Opens the store the first time it is needed. */
  readonly store: () => Promise<Store>;
}

/** At most so many control repositories are remembered. */
const KNOWN_ROOTS = 50;

/** The control repositories that runs were made in, that of the newest first; none where there is no store yet. */
export async function knownRoots({ system, layout, store }: App): Promise<readonly string[]> {
  if (await system.files.stat(layout.database) === null) return [];
  return (await store()).runs.roots(KNOWN_ROOTS);
}

/** The program with another limit for transfers, where one is asked for. */
export function allowing(app: App, seconds: number | null | undefined): App {
  return (seconds ?? null) === null ? app : { ...app, timeout: seconds ?? null };
}

/** Makes the program's parts out of a world. The store is opened on first use, so that help costs nothing. */
export function makeApp(system: System, layout: Layout, options: {
  readonly root: string | null;
  readonly jobs: number | null;
  readonly timeout?: number | null;
  readonly asker?: number | null;
  readonly settings?: Settings;
}): App {
  let store: Promise<Store> | null = null;
  const { settings = NO_SETTINGS } = options;
  return {
    system,
    layout,
    settings,
    root: options.root,
    jobs: options.jobs ?? settings.jobs,
    timeout: options.timeout ?? settings.timeout,
    asker: options.asker ?? null,
    store() {
      store ??= import("../state/store/open.ts").then(({ openStore }) =>
        // SQLite does not wait where two programs make a new database at the same moment.
        insist(system.clock, () => openStore(layout.database), OPENING_MS)
      )
        .catch((error: unknown) => {
          // A server keeps running and tries to open the store again at the next call.
          store = null;
          throw error;
        });
      return store;
    },
  };
}

/** The inodes of the files of the database, as text. */
async function inodes(app: App): Promise<Set<string>> {
  const { database } = app.layout;
  const told = await app.system.processes.run({
    command: "stat",
    args: ["-c", "%i", database, `${database}-shm`, `${database}-wal`],
    timeoutMs: 2_000,
  });
  return new Set(told.stdout.split("\n").filter((line) => line !== ""));
}

/** The process that has a write lock on the database, with its name; null where the platform does not tell. */
async function holder(app: App): Promise<{ pid: number; program: string } | null> {
  const { env, processes } = app.system;
  if (env.platform !== "linux") return null;
  const cat = (path: string) => processes.run({ command: "cat", args: [path], timeoutMs: 2_000 });
  const files = await inodes(app);
  const me = await processes.me();
  for (const line of (await cat("/proc/locks")).stdout.split("\n")) {
    // "1: POSIX  ADVISORY  WRITE 4242 fe:00:131 120 120"; those who wait have an arrow behind the number.
    const [, , , kind, pid, place] = line.split(/\s+/);
    if (kind !== "WRITE" || !files.has(place?.split(":")[2] ?? "")) continue;
    if (Number(pid) <= 0 || Number(pid) === me.pid) continue;
    const program = (await cat(`/proc/${pid}/comm`)).stdout.trim();
    if (program !== "") return { pid: Number(pid), program: cleanLine(program, 40) };
  }
  return null;
}

/** What was thrown, with the program that is in the way where the state database was held. */
export async function withDatabaseHolder(app: App, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof AmofError) || thrown.code !== "state_busy") return thrown;
  const found = await holder(app);
  if (found === null) return thrown;
  const { pid, program } = found;
  return new AmofError(
    "state_busy",
    `Cannot use the state database: "${program}" (process ${pid}) holds it and does not let go`,
    {
      hint: `Repeat in a moment, or end that program: process ${pid}`,
      details: { pid, program },
      cause: thrown,
    },
  );
}
