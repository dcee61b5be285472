/**
 * The mutating commands with the worlds in which they have something to do.
 *
 * @module
 */

import { join } from "@std/path";
import { World } from "../support/world.ts";
import { DAILY_VICTIMS } from "./commands_daily.ts";
import { PACK_VICTIMS } from "./commands_pack.ts";
import { RELEASE_VICTIMS } from "./commands_release.ts";
import { OTHER_VICTIMS } from "./commands_other.ts";
import { TICKET_VICTIMS } from "./commands_tickets.ts";
import { UNDO_VICTIMS } from "./commands_undo.ts";
import { isClean, must, type Victim } from "./victim.ts";
import { atWork, behind, litter, news, REPOS } from "./worlds.ts";

/** The commands. */
export const VICTIMS: readonly Victim[] = [
  {
    name: "ecosystem create --commit",
    args: [
      "ecosystem",
      "create",
      "shop",
      "--repo",
      "api=https://example.com/api.git@main",
      "--commit",
    ],
    prepare: () => World.withEcosystem({ repos: ["api"] }),
    ends: "told",
    done: async (world) =>
      (await world.git(world.control, "log", "-1", "--format=%s")).includes("shop"),
    again: ["ecosystem_exists"],
  },
  {
    name: "install",
    args: ["install", "--yes"],
    prepare: () => World.withEcosystem(REPOS),
    ends: "whole",
    again: ["workspace_exists"],
  },
  {
    name: "sync",
    args: ["sync"],
    prepare: behind,
    ends: "each",
    overlooks: /^ref refs\/remotes\//,
  },
  {
    name: "push",
    args: ["push", "--yes"],
    async prepare() {
      const world = await atWork();
      await Deno.writeTextFile(join(world.clone("web"), "work.txt"), "work\n");
      await world.git(world.clone("web"), "add", ".");
      await world.git(world.clone("web"), "commit", "--quiet", "-m", "Work");
      return world;
    },
    ends: "each",
    overlooks: /^ref refs\/remotes\/|^config branch\.|"|^ *[\]}{]/,
  },
  {
    name: "push --commit",
    args: ["push", "--commit", "-m", "All of it", "--yes"],
    async prepare() {
      const world = await atWork();
      await litter(world, "web");
      return world;
    },
    ends: "told",
    done: async (world) =>
      await isClean(world, world.clone("web")) &&
      await world.git(world.clone("web"), "rev-parse", "HEAD") ===
        await world.git(join(world.remotes, "web.git"), "rev-parse", "feature/T-1"),
  },
  {
    name: "commit",
    args: ["commit", "-m", "All of it", "--yes"],
    async prepare() {
      const world = await atWork();
      await litter(world, "web");
      return world;
    },
    ends: "each",
  },
  {
    name: "ticket start --stash",
    args: ["ticket", "start", "T-2", "--stash"],
    async prepare() {
      const world = await atWork();
      await litter(world, "api");
      await litter(world, "web");
      return world;
    },
    ends: "whole",
    again: ["ticket_exists"],
  },
  {
    name: "ticket switch --stash",
    args: ["ticket", "switch", "T-1", "--stash"],
    async prepare() {
      const world = await atWork();
      await litter(world, "api");
      await must(world, "ticket", "start", "T-2", "--stash");
      await litter(world, "web");
      return world;
    },
    ends: "whole",
  },
  {
    name: "ticket update",
    args: ["ticket", "update"],
    async prepare() {
      const world = await atWork();
      await news(world);
      return world;
    },
    ends: "each",
    overlooks: /^ref refs\/remotes\//,
  },
  {
    name: "ticket end --cleanup-local",
    args: ["ticket", "end", "T-2", "--cleanup-local", "--yes"],
    async prepare() {
      const world = await atWork();
      await must(world, "ticket", "start", "T-2");
      return world;
    },
    ends: "whole",
    again: ["ticket_not_found"],
  },
  {
    name: "archive",
    args: ["archive", "--yes", "--delete-workspace"],
    prepare: atWork,
    ends: "told",
    done: async (world) =>
      !await world.exists(world.workspace()) &&
      (await world.git(join(world.remotes, "api.git"), "branch", "--list")).includes("feature/T-1"),
    again: ["workspace_not_installed"],
  },
  {
    name: "archive restore",
    args: ["archive", "restore", "--yes"],
    async prepare() {
      const world = await atWork();
      await must(world, "archive", "--yes", "--delete-workspace");
      return world;
    },
    ends: "told",
    done: async (world) =>
      await world.git(world.clone("api"), "symbolic-ref", "--short", "HEAD") === "feature/T-1" &&
      (await world.state())["active_ticket"] === "T-1",
    again: ["workspace_exists"],
  },
  {
    name: "discard",
    args: ["discard", "--confirm-name", "demo"],
    givesUp: true,
    async prepare() {
      const world = await atWork();
      await litter(world, "web");
      return world;
    },
    ends: "whole",
    again: ["workspace_not_installed"],
  },
  ...DAILY_VICTIMS,
  ...OTHER_VICTIMS,
  ...RELEASE_VICTIMS,
  ...PACK_VICTIMS,
  ...TICKET_VICTIMS,
  ...UNDO_VICTIMS,
];
