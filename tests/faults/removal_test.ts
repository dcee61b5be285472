// Breaks the program at every change it makes and checks that the next command brings everything back to before or
// forward to after, with no commit, branch, stash or file lost: archive, restore and discard.

import { join } from "@std/path";
import { World } from "../support/world.ts";
import { declare, must, names, stands } from "./broken.ts";

const REPOS = { repos: ["api", "web"] };

/** Whether nothing is left of the workspace, not even what was set aside. */
async function isGone(world: World): Promise<boolean> {
  const worktrees = await world.git(world.control, "worktree", "list");
  const entries = await names(join(world.control, "worktrees"));
  return worktrees.split("\n").length === 1 && entries.length === 0;
}

/** An installed workspace with a ticket, a commit on it that is nowhere else, and files that are not committed. */
async function atWork(dirty: boolean): Promise<World> {
  const world = await World.installed(REPOS);
  await work(world, dirty);
  return world;
}

async function work(world: World, dirty: boolean): Promise<void> {
  await must(world, "ticket", "start", "T-1");
  await Deno.writeTextFile(join(world.clone("api"), "work.txt"), "work\n");
  await world.git(world.clone("api"), "add", ".");
  await world.git(world.clone("api"), "commit", "--quiet", "-m", "Work");
  if (dirty) await Deno.writeTextFile(join(world.clone("web"), "mine.txt"), "mine\n");
}

/** Whether the remote of a repository has the work. */
async function isPushed(world: World): Promise<boolean> {
  const branches = await world.git(join(world.remotes, "api.git"), "branch", "--list", "feature/*");
  return branches.includes("feature/T-1");
}

async function archives(world: World): Promise<string[]> {
  return (await names(join(world.control, "ecosystems", "demo", "archives")))
    .filter((name) => name.endsWith(".json"));
}

declare({
  archive: {
    args: ["archive", "--yes", "--delete-workspace"],
    where: "worker",
    prepare: () => atWork(false),
    isDone: async (world) =>
      await isGone(world) && await isPushed(world) && (await archives(world)).length === 1,
    async reset(world) {
      await must(world, "archive", "restore", "--yes");
      for (const name of await archives(world)) {
        await Deno.remove(join(world.control, "ecosystems", "demo", "archives", name));
      }
    },
    changes: 8,
    again: 7,
    pushes: true,
  },
  "archive restore": {
    args: ["archive", "restore", "--yes"],
    where: "worker",
    async prepare() {
      const world = await atWork(false);
      await must(world, "archive", "--yes", "--delete-workspace");
      return world;
    },
    isDone: (world) => stands(world, "T-1"),
    async reset(world) {
      await must(world, "archive", "--yes", "--delete-workspace");
      const [, newest] = await archives(world);
      await Deno.remove(join(world.control, "ecosystems", "demo", "archives", newest ?? ""));
    },
    changes: 14,
  },
  discard: {
    args: ["discard", "--confirm-name", "demo"],
    where: "worker",
    prepare: () => atWork(true),
    isDone: isGone,
    async reset(world) {
      await world.install();
      await work(world, true);
    },
    changes: 5,
  },
});
