/**
 * Worlds that are made alike: the first is made step by step and copied, the next ones get the copy. They all
 * have the very same place, because a commit, a worktree of git and a record of a run know their paths.
 *
 * @module
 */

import { basename, dirname, join } from "@std/path";
import { sha256 } from "../../src/base/hash.ts";
import { exists } from "./copies.ts";
import { refreshIndex } from "./index_stats.ts";
import { commonPlace, newPath } from "./place.ts";

/** A place where worlds of one kind lie, one after the other. */
export interface Ground {
  /** Where the world lies. */
  readonly directory: string;
  /** Whether the world of this kind is already there. */
  readonly ready: boolean;
  /** Copies the finished world for the next one. */
  keep(): Promise<void>;
  /** Gives the place back when the world is gone from it. */
  leave(): void;
}

/** A place that is free, and where the copy of its world lies. */
interface Free {
  readonly directory: string;
  readonly copy: string;
}

/** Where free places are kept between worlds. */
interface Pool {
  /** Takes one that nobody else then has. */
  take(): Free | undefined;
  give(free: Free): void;
  /** A path for one more. */
  place(): string;
}

const own = new Map<string, Free[]>();

/** Places for the worlds of this test file. */
function ownPool(kind: string): Pool {
  return {
    take: () => own.get(kind)?.pop(),
    give: (free) => void own.set(kind, [...own.get(kind) ?? [], free]),
    place: newPath,
  };
}

/**
 * Places for the worlds of all test files that run at the same time. A free one is a directory with its copy, and is
 * taken by being moved away, which succeeds for one file only.
 */
function commonPool(kind: string, common: string): Pool {
  const frees = join(common, sha256(kind));
  // Beside what is common, so that it is not alone as long as there is a world.
  const worlds = dirname(common);
  return {
    take() {
      const copy = newPath();
      try {
        for (const { name } of Deno.readDirSync(frees)) {
          try {
            Deno.renameSync(join(frees, name), copy);
            return { directory: join(worlds, name), copy };
          } catch {
            // Another file was first.
          }
        }
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
      return undefined;
    },
    give({ directory, copy }) {
      Deno.mkdirSync(frees, { recursive: true });
      Deno.renameSync(copy, join(frees, basename(directory)));
    },
    place: () => join(worlds, `w${word()}`),
  };
}

/** A name that nobody else has, and that nobody takes for a hash. */
function word(): string {
  const letters = "ghijklmnopqrstuvwxyz";
  return Array.from(crypto.getRandomValues(new Uint8Array(7)), (byte) => letters[byte % 20]).join(
    "",
  );
}

/**
 * Finds a place for a world; the same `kind` must always mean the same content, in all test files where they have it
 * in `common`.
 */
export async function ground(kind: string, common = false): Promise<Ground> {
  const everybodys = common ? commonPlace() : null;
  const pool = everybodys === null ? ownPool(kind) : commonPool(kind, everybodys);
  const known = pool.take();
  const directory = known?.directory ?? pool.place();
  let copy = known?.copy ?? null;
  if (known !== undefined) await copyTree(known.copy, directory);
  return {
    directory,
    ready: known !== undefined,
    async keep() {
      if (Deno.build.os !== "linux" || !await isQuiet(directory)) return;
      const path = newPath();
      await copyTree(directory, path);
      copy = path;
    },
    leave() {
      // Whoever still works there would disturb the next world. Who has ended may have made the place once more with
      // the last that was written, and a copy would end up inside of that.
      if (copy === null || inhabited(directory) || exists(directory)) return;
      pool.give({ directory, copy });
    },
  };
}

/** Copies with times and modes, and lets git know that the files are the ones it has seen. */
async function copyTree(from: string, to: string): Promise<void> {
  await done("cp", "-a", from, to);
  for (const directory of [join(to, "control"), ...treesOf(join(to, "control", "worktrees"))]) {
    if (!exists(join(directory, ".git")) || refreshIndex(directory)) continue;
    // Files that differ are no failure.
    await done("sh", "-c", 'git -C "$1" update-index -q --refresh || true', "sh", directory);
  }
}

/** Where working trees of git may be in workspaces: themselves, and their repositories. */
function treesOf(workspaces: string): string[] {
  return directoriesIn(workspaces).flatMap((workspace) => [
    workspace,
    ...directoriesIn(join(workspace, "repos")),
  ]);
}

function directoriesIn(directory: string): string[] {
  if (!exists(directory)) return [];
  return Array.from(Deno.readDirSync(directory))
    .filter((entry) => entry.isDirectory).map(({ name }) => join(directory, name));
}

async function done(command: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, {
    args,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Cannot copy a world: ${new TextDecoder().decode(stderr)}`);
}

/** Waits until nothing works in a directory any more, at most 5 seconds; whether that came. */
async function isQuiet(directory: string): Promise<boolean> {
  for (let turn = 0; turn < 500; turn++) {
    if (!inhabited(directory)) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

/** Whether a program that was started for a world in this directory, or stands in it, is alive. */
function inhabited(directory: string): boolean {
  const inside = `${directory}/`;
  return Array.from(Deno.readDirSync("/proc")).some(({ name }) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      // What has ended and waits to be collected has neither.
      const cwd = Deno.readLinkSync(join("/proc", name, "cwd")).replace(/ \(deleted\)$/, "");
      return `${cwd}/`.startsWith(inside) ||
        Deno.readTextFileSync(join("/proc", name, "environ")).includes(inside);
    } catch {
      // It has ended, or belongs to somebody else.
      return false;
    }
  });
}
