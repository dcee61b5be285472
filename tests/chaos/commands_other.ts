/**
 * The mutating commands that are rarer, and repair itself, with the worlds in which they have something to do.
 *
 * @module
 */

import { join } from "@std/path";
import { approve, environment, hashOf, worldWithProvisioner } from "../support/provisioner.ts";
import type { World } from "../support/world.ts";
import { must, type Victim } from "./victim.ts";
import { atWork, behind, litter, plainWorld } from "./worlds.ts";

const REMOTES = /^ref refs\/remotes\//;

/** A world with two tickets, the second of which is active, and nothing uncommitted. */
async function twoTickets(): Promise<World> {
  const world = await atWork();
  await must(world, "ticket", "start", "T-2");
  return world;
}

/** A ticket whose branches are pushed and have arrived on the remotes' main. */
async function landed(): Promise<World> {
  const world = await atWork();
  await must(world, "push", "--yes");
  const remote = join(world.remotes, "api.git");
  await world.git(remote, "update-ref", "refs/heads/main", "refs/heads/feature/T-1");
  await must(world, "sync");
  return world;
}

/** A world in which a ticket was being started with all kinds of work when the program was killed in the middle. */
async function cutOff(): Promise<World> {
  const world = await atWork();
  await litter(world, "api");
  await litter(world, "web");
  const env = await world.wrapGit(
    `case "$PWD $*" in */web" "*switch*) kill -9 "$PPID"; exit 137;; esac`,
  );
  const ran = await world.amof(["ticket", "start", "T-2", "--stash"], { env });
  await Deno.remove(join(world.directory, "bin"), { recursive: true });
  if (ran.code === 0) throw new Error("The command was to be killed in the middle");
  return world;
}

/** The commands. */
export const OTHER_VICTIMS: readonly Victim[] = [
  {
    name: "install --repair",
    args: ["install", "--repair", "--yes"],
    async prepare() {
      const world = await atWork();
      await litter(world, "api");
      await Deno.remove(world.clone("web"), { recursive: true });
      await Deno.remove(world.stateFile());
      return world;
    },
    broken: true,
    ends: "told",
    done: async (world) =>
      await world.exists(join(world.clone("web"), "README.md")) &&
      await world.exists(world.stateFile()),
  },
  {
    name: "sync, a clone missing",
    args: ["sync"],
    async prepare() {
      const world = await behind();
      await litter(world, "web");
      await Deno.remove(world.clone("api"), { recursive: true });
      return world;
    },
    broken: true,
    ends: "each",
    overlooks: REMOTES,
  },
  {
    name: "ticket start",
    args: ["ticket", "start", "T-2"],
    prepare: atWork,
    ends: "whole",
    again: ["ticket_exists"],
  },
  {
    name: "ticket switch",
    args: ["ticket", "switch", "T-1"],
    prepare: twoTickets,
    ends: "whole",
  },
  {
    name: "ticket end",
    args: ["ticket", "end", "T-1"],
    prepare: atWork,
    ends: "whole",
    again: ["ticket_not_found"],
  },
  {
    name: "ticket end --cleanup",
    args: ["ticket", "end", "T-1", "--cleanup", "--yes"],
    prepare: landed,
    ends: "told",
    overlooks: REMOTES,
    done: async (world) =>
      await world.git(world.clone("api"), "branch", "--list", "feature/*") === "" &&
      await world.git(join(world.remotes, "api.git"), "branch", "--list", "feature/*") === "",
    again: ["ticket_not_found"],
  },
  {
    name: "doctor --repair",
    args: ["doctor", "--repair"],
    prepare: cutOff,
    broken: true,
    ends: "whole",
  },
  {
    name: "journal add",
    args: ["journal", "add", "A note", "--body", "Text"],
    prepare: plainWorld,
    ends: "told",
    done: (world) => world.exists(join(world.control, "ecosystems", "demo", "journal")),
  },
  {
    name: "runs prune",
    args: ["runs", "prune", "--keep", "1", "--days", "0", "--yes"],
    prepare: plainWorld,
    ends: "whole",
  },
  {
    name: "spin deploy",
    args: ["spin", "deploy", "--yes"],
    async prepare() {
      const world = await worldWithProvisioner("sleep 0.2; echo ready");
      await approve(world);
      return world;
    },
    ends: "told",
    done: async (world) => (await environment(world))["state"] === "deployed",
  },
  {
    name: "spin trust",
    args: ["spin", "trust", "--yes"],
    prepare: () => worldWithProvisioner("echo ready"),
    more: async (world) => ["--hash", await hashOf(world)],
    ends: "told",
    // Only what is approved can be previewed.
    done: async (world) => (await world.amof(["spin", "deploy", "--dry-run"])).code === 0,
  },
  {
    name: "spin destroy",
    args: ["spin", "destroy", "--confirm-name", "demo"],
    async prepare() {
      const world = await worldWithProvisioner("sleep 0.2; echo done");
      await approve(world);
      await must(world, "spin", "deploy", "--yes");
      return world;
    },
    ends: "told",
    done: async (world) => (await environment(world))["state"] !== "deployed",
  },
];
