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

let place: string | undefined;
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

/** A directory for this test file. */
function ownPlace(): string {
  const named = Deno.env.get("AMOF_TEST_DIR") ?? "";
  const dir = named === "" ? memory() : Deno.realPathSync(named);
  const own = Deno.realPathSync(Deno.makeTempDirSync(dir === null ? {} : { dir }));
  globalThis.addEventListener("unload", () => {
    Deno.removeSync(own, { recursive: true });
    if (dir !== null && named === "") removeEmpty(dir);
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
    const shared = join(MEMORY, `amof-tests-${Deno.pid}`);
    Deno.mkdirSync(shared, { recursive: true });
    return runsPrograms(shared) ? shared : null;
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
      Deno.lstatSync(join("/proc", pid));
    } catch {
      Deno.removeSync(join(MEMORY, name), { recursive: true });
    }
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

function removeEmpty(directory: string): void {
  try {
    Deno.removeSync(directory);
  } catch {
    // Another file is still at work there.
  }
}
