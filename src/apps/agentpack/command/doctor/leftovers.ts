/** Temporary files that killed processes left behind, as doctor finds and removes them (PACK-53). */

import { join } from "@std/path";
import { AmofError } from "../../../../base/error.ts";
import type { System } from "../../../../base/system/mod.ts";
import { writerOf } from "../../../../base/system/layout.ts";
import { readJournal } from "../../engine/journal.ts";
import type { Session } from "../../engine/session.ts";
import type { Home } from "../../identity/home.ts";

/** What a step of a change prepares beside its destination. */
const STEP = /^\.agentpack-\d+-\d+\.tmp$/;
/** What a checkout is filled as, beside its place. */
const CHECKOUT = /^\.[0-9a-f]{40}\.[0-9a-f-]{36}\.tmp$/;
/** A checkout is filled without the lock of the home; nobody waits so long for one. */
const FILLING_MS = 24 * 3_600_000;

/** Whether a process is changing something of this home right now. */
async function isBusy({ files, processes }: System, home: Home): Promise<boolean> {
  const pid = Number(await files.readText(home.lock));
  if (!Number.isInteger(pid) || pid <= 0) return false;
  return await processes.isAlive({ pid, startedAt: null, bootId: null });
}

async function isAbandoned({ processes }: System, name: string): Promise<boolean> {
  if (STEP.test(name)) return true;
  const pid = writerOf(name, "beside");
  return pid !== null && !await processes.isAlive({ pid, startedAt: null, bootId: null });
}

async function abandonedIn(
  system: System,
  directory: string,
  deep: boolean,
  found: Set<string>,
): Promise<void> {
  for (const { name, kind } of await system.files.list(directory)) {
    const path = join(directory, name);
    if (kind === "file" && await isAbandoned(system, name)) found.add(path);
    if (deep && kind === "directory" && name !== ".git") {
      await abandonedIn(system, path, deep, found);
    }
  }
}

/** Checkouts that nobody finished filling. */
async function halfCheckouts({ files, clock }: System, home: Home): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await files.list(home.checkouts)) {
    const directory = join(home.checkouts, name);
    for (const entry of await files.list(directory)) {
      if (!CHECKOUT.test(entry.name)) continue;
      const path = join(directory, entry.name);
      const modified = (await files.lstat(path))?.modifiedMs ?? null;
      if (modified !== null && clock.now() - modified > FILLING_MS) found.push(path);
    }
  }
  return found;
}

/**
 * Temporary files and directories that nobody writes any more, sorted: below the roots of the session, in the config
 * repo, in the state of the home and among the checkouts. `holding` says that this process has the lock of the home.
 */
export async function leftovers(session: Session, holding: boolean): Promise<string[]> {
  const { home, pack: { system } } = session;
  const checkouts = await halfCheckouts(system, home);
  // A running change owns its temporary files, and the journal removes those of one that was cut short.
  if (!holding && await isBusy(system, home)) return checkouts;
  if (await readJournal(system.files, home) !== null) return checkouts;
  const found = new Set(checkouts);
  for (const { root, scanExtras } of session.roots) {
    await abandonedIn(system, root, scanExtras, found);
  }
  await abandonedIn(system, home.repo, true, found);
  for (const directory of [home.state, home.snapshots]) {
    await abandonedIn(system, directory, false, found);
  }
  const waiting = new Set(await uncommitted(session));
  for (const { name } of await system.files.list(home.scratch)) {
    const path = join(home.scratch, name);
    if (!waiting.has(path)) found.add(path);
  }
  return [...found].sort();
}

/**
 * Working copies of the config repo among the temporary files that hold changes nobody has committed: what evolve
 * propose leaves for a person when its commit fails. Nobody removes them. One git process for each.
 */
export async function uncommitted({ home, pack }: Session): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await pack.system.files.list(home.scratch)) {
    const path = join(home.scratch, name);
    if (kind !== "directory" || await pack.system.files.lstat(join(path, ".git")) === null) {
      continue;
    }
    try {
      if ((await pack.git.at(path).status()).changes.length === 0) continue;
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      // A checkout that cannot be inspected may hold changes.
    }
    found.push(path);
  }
  return found;
}

/** Removes what {@linkcode leftovers} found; answers what was there. */
export async function removeLeftovers(session: Session): Promise<string[]> {
  const { files } = session.pack.system;
  const found = await leftovers(session, true);
  for (const path of found) {
    if ((await files.lstat(path))?.kind === "directory") await files.removeTree(path);
    else await files.remove(path);
  }
  return found;
}
