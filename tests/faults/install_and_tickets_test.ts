// Breaks the program at every change it makes and checks that the next command brings everything back to before or
// forward to after, with no commit, branch, stash or file lost: install and the ticket commands.

import { join } from "@std/path";
import { World } from "../support/world.ts";
import { declare, must, stands } from "./broken.ts";

const REPOS = { repos: ["api", "web"] };

declare({
  install: {
    args: ["install", "--yes"],
    where: "worker",
    prepare: () => World.withEcosystem(REPOS),
    isDone: async (world) => (await world.amof(["status", "--check"])).code === 0,
    async reset(world) {
      await must(world, "discard", "--confirm-name", "demo");
    },
    changes: 12,
  },
  "ticket start": {
    args: ["ticket", "start", "T-1", "--stash"],
    where: "inline",
    async prepare() {
      const world = await World.installed(REPOS);
      await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
      return world;
    },
    isDone: (world) => stands(world, "T-1"),
    async reset(world) {
      await must(world, "ticket", "switch", "main");
      await must(world, "ticket", "end", "T-1", "--cleanup-local", "--yes");
    },
    changes: 18,
  },
  "ticket switch": {
    args: ["ticket", "switch", "main", "--stash"],
    where: "inline",
    async prepare() {
      const world = await World.installed(REPOS);
      await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
      await must(world, "ticket", "start", "T-1", "--stash");
      await Deno.writeTextFile(join(world.clone("web"), "yours.txt"), "yours\n");
      return world;
    },
    async isDone(world) {
      const mine = await Deno.readTextFile(join(world.clone("api"), "mine.txt")).catch(() => "");
      return mine === "mine\n" && await stands(world, null);
    },
    reset: (world) => must(world, "ticket", "switch", "T-1", "--stash"),
    changes: 30,
  },
  "ticket end": {
    args: ["ticket", "end", "T-1", "--cleanup-local", "--yes"],
    where: "inline",
    async prepare() {
      const world = await World.installed(REPOS);
      await must(world, "ticket", "start", "T-1");
      return world;
    },
    isDone: (world) => stands(world, null),
    reset: (world) => must(world, "ticket", "start", "T-1"),
    changes: 10,
  },
});
