/**
 * Begins to look at the clones of a workspace before its manifest is read.
 *
 * Reading and checking a manifest keeps one processor busy about as long as git needs for the first
 * repositories on the others. What turns out not to belong to the ecosystem is dropped.
 *
 * @module
 */

import { join } from "@std/path";
import { Slots } from "../async/slots.ts";
import { type Git, type PorcelainStatus, type Worktree } from "../git/mod.ts";
import type { System } from "../system/mod.ts";

/** Looks that are under way, by directory. */
export type Prefetched = ReadonlyMap<string, Promise<PorcelainStatus>>;

/** Begins to look at what lies where clones usually lie; `wanted` limits it to some. */
export async function prefetch(
  tools: { readonly system: System; readonly git: Git; readonly jobs: number },
  root: string,
  ecosystem: string,
  { worktrees, wanted }: {
    readonly worktrees: Promise<readonly Worktree[]>;
    readonly wanted: (name: string) => boolean;
  },
): Promise<Prefetched> {
  const usual = join(root, "worktrees", ecosystem);
  const worktree = (await worktrees).find((entry) => entry.path === usual);
  const looks = new Map<string, Promise<PorcelainStatus>>();
  if (worktree === undefined) return looks;
  const slots = new Slots(tools.jobs);
  for (const { name, kind } of await tools.system.files.list(join(usual, "repos"))) {
    if (kind !== "directory" || name.startsWith(".")) continue;
    if (!wanted(name)) continue;
    const directory = join(usual, "repos", name);
    const look = slots.turn(() => tools.git.at(directory, name).status());
    // A failure is reported to whoever takes the result; here it must not count as unhandled.
    look.catch(() => {});
    looks.set(directory, look);
  }
  return looks;
}
