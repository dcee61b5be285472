// Breaks undo at its changes: most of them move one file of a repository into its place.

import { join } from "@std/path";
import { ownClone } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";
import { declare, must, names } from "./broken.ts";
import { breakEach } from "./every_change.ts";

breakEach([["undo", "inline", 10, "before", 3]]);

/** Whether nothing is left of the workspace of a ticket, or of the base workspace, not even what was set aside. */
async function entries(world: World): Promise<string> {
  return (await names(join(world.control, "worktrees"))).join();
}

declare({
  "undo of install": {
    args: ["undo", "--yes"],
    where: "inline",
    async prepare() {
      const world = await World.withEcosystem({ repos: ["api", "web"] });
      await must(world, "install", "--yes");
      return world;
    },
    isDone: async (world) =>
      await entries(world) === "" &&
      !(await world.git(world.control, "branch")).includes("workspace/demo"),
    reset: (world) => must(world, "install", "--yes"),
    changes: 6,
    again: 5,
  },
  "undo of ticket add": {
    args: ["undo", "--yes"],
    where: "inline",
    async prepare() {
      const world = await World.installed({ repos: ["api", "web"] });
      await must(world, "ticket", "start", "T-1", "--workspace", "--repo", "api");
      await must(world, "ticket", "add", "T-1", "--repo", "web");
      return world;
    },
    isDone: async (world) =>
      !await world.exists(ownClone(world, "T-1", "web")) &&
      await entries(world) === "demo,demo@T-1",
    reset: (world) => must(world, "ticket", "add", "T-1", "--repo", "web"),
    changes: 5,
    look: async (world) => {
      const clone = ownClone(world, "T-1", "web");
      return await world.exists(clone) ? await world.git(clone, "status", "--porcelain") : null;
    },
  },
  "undo of ticket end": {
    args: ["undo", "--yes"],
    where: "inline",
    async prepare() {
      const world = await World.installed({ repos: ["api", "web"] });
      await must(world, "ticket", "start", "T-1", "--workspace");
      await must(world, "ticket", "end", "T-1", "--yes");
      return world;
    },
    isDone: async (world) => await entries(world) === "demo,demo@T-1",
    reset: (world) => must(world, "ticket", "end", "T-1", "--yes"),
    changes: 5,
    look: async (world) => {
      const clone = ownClone(world, "T-1", "api");
      return await world.exists(clone) ? await world.git(clone, "status", "--porcelain") : null;
    },
  },
  "undo of ticket start --workspace": {
    args: ["undo", "--yes"],
    where: "inline",
    async prepare() {
      const world = await World.installed({ repos: ["api", "web"] });
      await must(world, "ticket", "start", "T-1", "--workspace");
      return world;
    },
    isDone: async (world) => await entries(world) === "demo",
    reset: (world) => must(world, "ticket", "start", "T-1", "--workspace"),
    changes: 5,
    look: async (world) => {
      const clone = ownClone(world, "T-1", "api");
      return await world.exists(clone) ? await world.git(clone, "status", "--porcelain") : null;
    },
  },
});
