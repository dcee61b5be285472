/** What the command layer works with: the world, the store, and the options a door was started with. */

import type { Layout, Store } from "../state/store/mod.ts";
import { insist } from "../state/store/insist.ts";
import { NO_SETTINGS, type Settings } from "../state/settings/mod.ts";
import type { System } from "../base/system/mod.ts";

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
