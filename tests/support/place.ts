/**
 * Where the tests keep their files: in memory where the machine has a disk of memory that is large enough and lets
 * programs run, else where temporary files go. `AMOF_TEST_DIR` names another directory.
 *
 * @module
 */

import { statfsSync } from "node:fs";
import { join } from "@std/path";

const MEMORY = "/dev/shm";
/** What all tests together may need at once, with room to spare. */
const ENOUGH_BYTES = 1 << 30;

/** In the directory of all test files of a run: what they have in common, while there is a file at work. */
const COMMON = "common";

let place: string | undefined;
let shared: string | undefined;
let made = 0;

/**
 * Makes an empty directory; answers its path without symbolic links. Who is done with it early removes it, at the
 * latest it goes with the test file.
 */
export function newDirectory(): string {
  const path = newPath();
  Deno.mkdirSync(path);
  return path;
}

/** As {@linkcode newDirectory}, without making it. */
export function newPath(): string {
  place ??= ownPlace();
  return join(place, String(++made));
}

/**
 * A directory that all test files of this run have in common, on the disk that {@linkcode newDirectory} is on, or null
 * where each keeps to itself. It exists once something was put there, and is gone when no test file is at work: who
 * takes something from it moves it to a place of its own.
 */
export function commonPlace(): string | null {
  place ??= ownPlace();
  return shared === undefined ? null : join(shared, COMMON);
}

/** A directory for this test file. */
function ownPlace(): string {
  const named = Deno.env.get("AMOF_TEST_DIR") ?? "";
  const dir = named === "" ? memory() : Deno.realPathSync(named);
  if (named === "" && dir !== null) shared = Deno.realPathSync(dir);
  const own = Deno.realPathSync(Deno.makeTempDirSync(dir === null ? {} : { dir }));
  globalThis.addEventListener("unload", () => {
    Deno.removeSync(own, { recursive: true });
    if (shared !== undefined) leave(shared);
  });
  return own;
}

/** A directory in memory for the test files of this process, or null. */
function memory(): string | null {
  if (Deno.build.os !== "linux") return null;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ENOUGH_BYTES) return null;
    sweep();
    const directory = join(MEMORY, `amof-tests-${Deno.pid}`);
    Deno.mkdirSync(directory, { recursive: true });
    return runsPrograms(directory) ? directory : null;
  } catch {
    return null;
  }
}

/** Removes what runs left that were ended from outside: it would take up memory for ever. */
function sweep(): void {
  for (const { name } of Deno.readDirSync(MEMORY)) {
    const pid = /^amof-tests-(\d+)$/.exec(name)?.[1];
    if (pid === undefined) continue;
    try {
      if (!isThere(join("/proc", pid))) Deno.removeSync(join(MEMORY, name), { recursive: true });
    } catch {
      // It belongs to somebody else, or another run was first.
    }
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Containers often forbid it there. */
function runsPrograms(directory: string): boolean {
  const probe = Deno.makeTempFileSync({ dir: directory, prefix: "probe-" });
  try {
    Deno.writeTextFileSync(probe, "#!/bin/sh\nexit 0\n");
    Deno.chmodSync(probe, 0o755);
    return new Deno.Command(probe).outputSync().success;
  } catch {
    return false;
  } finally {
    Deno.removeSync(probe);
  }
}

/** Removes the directory of all test files, with what they have in common, unless another one is at work. */
function leave(directory: string): void {
  try {
    if (Array.from(Deno.readDirSync(directory)).some(({ name }) => name !== COMMON)) return;
    // Whoever comes just now finds all of it or nothing.
    const away = join(directory, `away-${crypto.randomUUID()}`);
    try {
      Deno.renameSync(join(directory, COMMON), away);
      Deno.removeSync(away, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    Deno.removeSync(directory);
  } catch {
    // Another file has come, or has removed it.
  }
}
