/**
 * Begins to look at the clones of a workspace before its manifest is read.
 *
 * Reading and checking a manifest keeps one processor busy about as long as git needs for the first
 * repositories on the others. What turns out not to belong to the ecosystem is dropped.
 */

import { dirname, join } from "@std/path";
import { Slots } from "../../base/async/pool.ts";
import type { Git, PorcelainStatus, Worktree } from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";

/** Looks that are under way, by directory. */
export type Prefetched = ReadonlyMap<string, Promise<PorcelainStatus>>;

/** Whether a directory is a linked worktree in the usual form: both say so of each other. No process. */
async function isLinked({ files }: System, root: string, directory: string): Promise<boolean> {
  const file = join(directory, ".git");
  const place = /^gitdir: (.+)\n$/.exec(await files.readText(file).catch(() => null) ?? "")?.[1];
  if (place === undefined || dirname(place) !== join(root, ".git", "worktrees")) return false;
  return await files.readText(join(place, "gitdir")).catch(() => null) === `${file}\n`;
}

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
  const looks = new Map<string, Promise<PorcelainStatus>>();
  const isThere = await isLinked(tools.system, root, usual) ||
    (await worktrees).some((entry) => entry.path === usual);
  if (!isThere) return looks;
  const names = (await tools.system.files.list(join(usual, "repos")))
    .filter(({ name, kind }) => kind === "directory" && !name.startsWith(".") && wanted(name))
    .map(({ name }) => name);
  // Not awaited: whoever needs a status waits for that one alone.
  void tools.git.together(
    { count: names.length, jobs: tools.jobs, early: true },
    async (git, jobs) => {
      const slots = new Slots(jobs);
      for (const name of names) {
        const directory = join(usual, "repos", name);
        looks.set(directory, slots.turn(() => git.at(directory, name).status()));
      }
      // A failure is reported to whoever takes the result; here it must not count as unhandled.
      await Promise.allSettled(looks.values());
    },
  );
  return looks;
}
