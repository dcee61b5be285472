/**
 * The commands that release something, with the worlds in which they can.
 *
 * @module
 */

import { join } from "@std/path";
import { giveRemote, releaseWorld, trainWorld } from "../support/release_world.ts";
import type { World } from "../support/world.ts";
import { isClean, must, type Victim } from "./victim.ts";

async function hasTag(world: World, directory: string, tag: string): Promise<boolean> {
  return await world.git(directory, "tag", "--list", tag) === tag;
}

/** A control repository with a release that is only here. */
async function unpushed(): Promise<World> {
  const world = await releaseWorld();
  await must(world, "release", "patch", "--alpha", "--no-push", "--yes");
  return world;
}

/** A train that could run, and the control repository with a remote. */
async function station(): Promise<World> {
  const world = await trainWorld(["api", "web"]);
  await giveRemote(world, world.control, "control");
  return world;
}

/** Whether a release is here and on the remote, and nothing is left over. */
async function isReleased(world: World, tag: string): Promise<boolean> {
  return await hasTag(world, world.control, tag) &&
    await hasTag(world, join(world.remotes, "control.git"), tag) &&
    await isClean(world, world.control);
}

async function hasArrived(world: World, tag: string): Promise<boolean> {
  for (const repo of ["api", "web"]) {
    if (!await hasTag(world, world.clone(repo), tag)) return false;
    if (!await hasTag(world, join(world.remotes, `${repo}.git`), tag)) return false;
    if (!await isClean(world, world.clone(repo))) return false;
  }
  return true;
}

/** The commands. */
export const RELEASE_VICTIMS: readonly Victim[] = [
  {
    name: "release",
    args: ["release", "patch", "--alpha", "--yes"],
    prepare: releaseWorld,
    ends: "told",
    done: (world) => isReleased(world, "v0.1.1-alpha.1"),
    again: ["release_blocked"],
  },
  {
    name: "release promote",
    args: ["release", "promote", "--rc", "--yes"],
    async prepare() {
      const world = await releaseWorld();
      await must(world, "release", "patch", "--alpha", "--yes");
      return world;
    },
    ends: "told",
    done: (world) => isReleased(world, "v0.1.1-rc.1"),
    again: ["release_blocked"],
  },
  {
    name: "release push",
    args: ["release", "push", "--yes"],
    prepare: unpushed,
    ends: "told",
    done: (world) => isReleased(world, "v0.1.1-alpha.1"),
  },
  {
    name: "release init",
    args: ["release", "init", "1.0.0", "--yes"],
    async prepare() {
      const world = await releaseWorld();
      const remote = join(world.remotes, "control.git");
      await world.git(world.control, "tag", "--delete", "v0.1.0");
      await world.git(remote, "tag", "--delete", "v0.1.0");
      return world;
    },
    ends: "told",
    done: (world) => isReleased(world, "v1.0.0"),
    again: ["invalid_transition"],
  },
  {
    name: "release train",
    args: ["release", "train", "bump", "patch", "--alpha", "--yes"],
    prepare: station,
    ends: "told",
    done: (world) => hasArrived(world, "v1.0.1-alpha.1"),
    again: ["release_blocked"],
  },
  {
    name: "release train promote",
    args: ["release", "train", "promote", "--rc", "--yes"],
    async prepare() {
      const world = await station();
      await must(world, "release", "train", "bump", "patch", "--alpha", "--yes");
      return world;
    },
    ends: "told",
    done: (world) => hasArrived(world, "v1.0.1-rc.1"),
    again: ["release_blocked"],
  },
];
