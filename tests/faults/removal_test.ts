// Breaks the program at every change it makes and checks that the next command brings everything back to before or
// forward to after, with no commit, branch, stash or file lost: archive, restore and discard, with and without the workspaces
// of tickets.

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { commitIn, ownClone } from "../support/own_ticket.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
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

/** A ticket with a workspace of its own, and work in it that is nowhere else. */
async function withTicket(): Promise<World> {
  const world = await atWork(false);
  await makeTicket(world, "T-2", { repos: ["web"] });
  const web = ownClone(world, "T-2", "web");
  await commitIn(web, world);
  await Deno.writeTextFile(join(web, "mine.txt"), "mine\n");
  return world;
}

/** The work of that ticket, wherever its workspace lies. */
async function workOf(world: World): Promise<unknown> {
  const found = (await names(join(world.control, "worktrees"))).filter((name) =>
    /^\.?demo@T-2/.test(name)
  );
  assertEquals(found.length, 1, found.join());
  const web = join(world.control, "worktrees", found[0] ?? "", "repos", "web");
  return [
    await Deno.readTextFile(join(web, "mine.txt")),
    await world.git(web, "log", "--format=%s", "-1"),
    await world.git(web, "status", "--porcelain"),
  ];
}

/** What lies beside the place of the workspace, by what it is. */
async function beside(world: World): Promise<string> {
  const entries = await names(join(world.control, "worktrees"));
  return entries.map((name) => name.replace(/-[0-9a-f]{8}$/, "")).join();
}

/** Gives what is put away the one name that every repetition has it under. */
async function renameAway(world: World): Promise<void> {
  const parent = join(world.control, "worktrees");
  const [name = ""] = (await names(parent)).filter((entry) => entry.startsWith(".demo@T-2"));
  const fixed = ".demo@T-2.amof-archived-00000000";
  await Deno.rename(join(parent, name), join(parent, fixed));
  for (const archive of await archives(world)) {
    const file = join(world.control, "ecosystems", "demo", "archives", archive);
    const text = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, text.replace(name, fixed));
  }
}

async function dropNewest(world: World): Promise<void> {
  const newest = (await archives(world)).at(-1) ?? "";
  await Deno.remove(join(world.control, "ecosystems", "demo", "archives", newest));
}

declare({
  "archive --tickets": {
    args: ["archive", "--tickets", "--yes", "--delete-workspace"],
    where: "worker",
    prepare: withTicket,
    isDone: async (world) =>
      await beside(world) === ".demo@T-2.amof-archived" && (await archives(world)).length === 1,
    async reset(world) {
      await must(world, "archive", "restore", "--tickets", "--yes");
      for (const _ of await archives(world)) await dropNewest(world);
    },
    changes: 9,
    again: 8,
    pushes: true,
    look: workOf,
  },
  "archive restore --tickets": {
    args: ["archive", "restore", "--tickets", "--yes"],
    where: "worker",
    async prepare() {
      const world = await withTicket();
      await must(world, "archive", "--tickets", "--yes", "--delete-workspace");
      await renameAway(world);
      return world;
    },
    isDone: async (world) => await stands(world, "T-1") && await beside(world) === "demo,demo@T-2",
    async reset(world) {
      const [first = ""] = await archives(world);
      await must(world, "archive", "--tickets", "--yes", "--delete-workspace");
      await Deno.remove(join(world.control, "ecosystems", "demo", "archives", first));
      await renameAway(world);
    },
    changes: 16,
    look: workOf,
  },
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
