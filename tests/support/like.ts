/**
 * Worlds that are made alike: the first is made step by step and copied, the next get the copy, in the very same
 * place, because a commit, a worktree of git and a record of a run know their paths.
 *
 * @module
 */

import { join } from "@std/path";
import { newPath } from "./place.ts";

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

/** Places that are free, with the copy of their world, by kind. */
const free = new Map<string, { readonly directory: string; readonly copy: string }[]>();

/** Finds a place for a world; the same `kind` must always mean the same content. */
export async function ground(kind: string): Promise<Ground> {
  const known = free.get(kind)?.pop();
  const directory = known?.directory ?? newPath();
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
      // Whoever still works there would disturb the next world.
      if (copy === null || inhabited(directory)) return;
      free.set(kind, [...free.get(kind) ?? [], { directory, copy }]);
    },
  };
}

/** Copies with times and modes, and lets git know that the files are the ones it has seen. */
async function copyTree(from: string, to: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("sh", {
    args: [
      "-c",
      'cp -a "$1" "$2" && for index in "$2"/control "$2"/control/worktrees/*/ "$2"/control/worktrees/*/repos/*/; do' +
      ' [ ! -e "$index/.git" ] || git -C "$index" update-index -q --refresh || true; done',
      "sh",
      from,
      to,
    ],
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
