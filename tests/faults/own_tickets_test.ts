// Breaks the program at every change it makes to the workspaces of tickets, and checks that the next command brings
// everything back to before or forward to after, with nothing lost.

import { assert } from "@std/assert";
import { join } from "@std/path";
import { MAKER } from "../support/box.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { commitIn, ownClone } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";
import { declare, must, names } from "./broken.ts";
import { breakEach } from "./every_change.ts";

/** A ticket with pushed work in `api`, and an ignored file in `web`. */
async function atWork(world: World): Promise<void> {
  await makeTicket(world, "T-1", { repos: ["api", "web"] });
  const api = ownClone(world, "T-1", "api");
  await commitIn(api, world);
  await world.git(api, "push", "--quiet", "--force", "-u", "origin", "feature/T-1");
  const exclude = join(ownClone(world, "T-1", "web"), ".git", "info", "exclude");
  await Deno.mkdir(join(exclude, ".."), { recursive: true });
  await Deno.writeTextFile(exclude, "*.log\n");
  await Deno.writeTextFile(join(ownClone(world, "T-1", "web"), "debug.log"), "log\n");
}

/** What the workspace of the ticket holds. */
async function held(world: World): Promise<unknown> {
  const clones = ["api", "web"].map((repo) => ownClone(world, "T-1", repo));
  return await Promise.all(clones.map(async (clone) =>
    await world.exists(join(clone, ".git"))
      ? [
        await world.git(clone, "rev-parse", "HEAD"),
        await world.git(clone, "status", "--porcelain", "--ignored"),
      ]
      : null
  ));
}

/** A ticket in the base workspace with a commit that is nowhere else, and work that is not committed. */
async function inPlace(): Promise<World> {
  const world = await World.installed({ repos: ["api", "web"] });
  await must(world, "ticket", "start", "T-1");
  const api = world.clone("api");
  await commitIn(api, world);
  await Deno.writeTextFile(join(api, "work.txt"), "changed\n");
  await Deno.writeTextFile(join(api, "new.txt"), "new\n");
  return world;
}

/** The uncommitted work of `api`, wherever it is: in the base workspace, in that of the ticket, or put away. */
async function workOf(world: World): Promise<unknown> {
  const found: string[] = [];
  for (const clone of [world.clone("api"), ownClone(world, "T-1", "api")]) {
    if (!await world.exists(join(clone, ".git"))) continue;
    found.push(await Deno.readTextFile(join(clone, "new.txt")).catch(() => ""));
    for (const stash of (await world.git(clone, "stash", "list", "--format=%H")).split("\n")) {
      if (stash === "") continue;
      found.push(await world.git(clone, "show", `${stash}^3:new.txt`));
    }
  }
  assert(found.some((text) => text.trim() === "new"), "the work is nowhere");
  return null;
}

/** A ticket whose clones borrow, with work of which nobody else has anything. */
async function keptTicket(world: World): Promise<void> {
  await must(world, "ticket", "start", "T-1", "--workspace");
  const api = ownClone(world, "T-1", "api");
  await commitIn(api, world);
  await Deno.writeTextFile(join(api, "new.txt"), "new\n");
}

declare({
  "ticket move into a workspace": {
    args: ["ticket", "move", "T-1", "--workspace", "--yes"],
    where: "inline",
    prepare: inPlace,
    isDone: async (world) => {
      const entries = (await names(join(world.control, "worktrees"))).join();
      const branches = await world.git(world.clone("api"), "branch", "--list", "feature/*");
      return entries === "demo,demo@T-1" && branches === "" &&
        await Deno.readTextFile(join(ownClone(world, "T-1", "api"), "new.txt")) === "new\n";
    },
    async reset(world) {
      await must(world, "ticket", "move", "T-1", "--in-place", "--yes");
      await must(world, "ticket", "switch", "T-1");
    },
    changes: 60,
    again: 12,
    look: workOf,
  },
  "ticket move back into the base workspace": {
    args: ["ticket", "move", "T-1", "--in-place", "--yes"],
    where: "inline",
    async prepare() {
      const world = await inPlace();
      await must(world, "ticket", "move", "T-1", "--workspace", "--yes");
      return world;
    },
    isDone: async (world) => {
      const entries = (await names(join(world.control, "worktrees"))).join();
      const stashes = await world.git(world.clone("api"), "stash", "list");
      return entries === "demo" && stashes.includes("amof:T-1");
    },
    async reset(world) {
      await must(world, "ticket", "move", "T-1", "--workspace", "--yes");
    },
    changes: 10,
    look: workOf,
  },
  "ticket end --keep-workspace": {
    args: ["ticket", "end", "T-1", "--keep-workspace"],
    where: "inline",
    async prepare() {
      const world = await World.installed({ repos: ["api", "web"] });
      await keptTicket(world);
      return world;
    },
    isDone: async (world) => {
      const own = join(world.control, "worktrees", "demo@T-1", ".amof");
      if ((await names(own)).includes("ticket.json")) return false;
      for (const repo of ["api", "web"]) {
        const clone = ownClone(world, "T-1", repo);
        await world.git(clone, "fsck", "--connectivity-only");
        const alternates = join(clone, ".git", "objects", "info", "alternates");
        if (await world.exists(alternates)) return false;
      }
      return true;
    },
    async reset(world) {
      await Deno.remove(join(world.control, "worktrees", "demo@T-1"), { recursive: true });
      await keptTicket(world);
    },
    changes: 6,
    look: async (world) => [
      await held(world),
      await names(join(world.control, "worktrees", "demo@T-1", ".amof")),
    ],
  },
  "ticket end with a workspace": {
    args: ["ticket", "end", "T-1", "--yes"],
    where: "inline",
    async prepare() {
      const world = await World.installed({ repos: ["api", "web"] });
      await atWork(world);
      return world;
    },
    isDone: async (world) => (await names(join(world.control, "worktrees"))).join() === "demo",
    reset: atWork,
    // Two of them ask the remotes.
    changes: 6,
    pushes: true,
    look: held,
  },
});

breakEach([
  ["ticket detach", "worker", 8, "before"],
  // Where the system has no box nothing is committed in one.
  ...MAKER === null ? [] : [["undo of commit in a box", "inline", 10] as const],
]);
