/**
 * The mutating commands with the worlds in which they have something to do.
 *
 * @module
 */

import { join } from "@std/path";
import { giveRemote, releaseWorld, trainWorld } from "../support/release_world.ts";
import { World } from "../support/world.ts";

/** A command that is interrupted. */
export interface Victim {
  readonly name: string;
  readonly args: readonly string[];
  readonly prepare: () => Promise<World>;
  /**
   * How what is left may look: as before or as after, all of it (`whole`) or each repository for itself (`each`).
   * `told` means that nothing can be compared, because the command writes down when it did what; `done` decides then.
   */
  readonly ends: "whole" | "each" | "told";
  /** Whether all of it has happened. */
  readonly done?: (world: World) => Promise<boolean>;
  /** Lines of the inventory that may be anything in between: what a transfer has brought, and notes about it. */
  readonly overlooks?: RegExp;
  /** Whether it is meant to give up what is only here. */
  readonly givesUp?: boolean;
  /** What the same command answers once it is done, besides success. */
  readonly again?: readonly string[];
}

const REPOS = { repos: ["api", "web"] };

/** Runs a command that must succeed. */
export async function must(world: World, ...args: string[]): Promise<void> {
  const ran = await world.amof(args);
  if (ran.code !== 0) throw new Error(`amof ${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
}

/** Puts all kinds of unfinished work into a clone: staged, changed, new, new and staged, deleted, ignored. */
export async function litter(world: World, repo: string, ecosystem = "demo"): Promise<void> {
  const clone = world.clone(repo, ecosystem);
  const write = (name: string, text: string) => Deno.writeTextFile(join(clone, name), text);
  await write("README.md", `# ${repo}, changed\n`);
  await world.git(clone, "add", "README.md");
  await write("README.md", `# ${repo}, changed twice\n`);
  await write("new.txt", "new\n");
  await write("staged.txt", "staged\n");
  await world.git(clone, "add", "staged.txt");
  await Deno.remove(join(clone, "gone.txt"));
}

/** An installed ecosystem whose repositories have three files. */
async function workplace(): Promise<World> {
  const world = await World.withEcosystem(REPOS);
  for (const repo of REPOS.repos) {
    const seed = join(world.directory, "seed", repo);
    await Deno.writeTextFile(join(seed, "gone.txt"), "to be deleted\n");
    await world.git(seed, "add", ".");
    await world.git(seed, "commit", "--quiet", "-m", "Add a file");
    await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
  }
  await world.install();
  return world;
}

/** The same with a ticket on which there is a commit that is nowhere else. */
async function atWork(): Promise<World> {
  const world = await workplace();
  await must(world, "ticket", "start", "T-1");
  await Deno.writeTextFile(join(world.clone("api"), "work.txt"), "work\n");
  await world.git(world.clone("api"), "add", ".");
  await world.git(world.clone("api"), "commit", "--quiet", "-m", "Work");
  return world;
}

async function behind(): Promise<World> {
  const world = await workplace();
  for (const repo of REPOS.repos) {
    const seed = join(world.directory, "seed", repo);
    await Deno.writeTextFile(join(seed, "news.txt"), "news\n");
    await world.git(seed, "add", ".");
    await world.git(seed, "commit", "--quiet", "-m", "News");
    await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
  }
  await Deno.writeTextFile(join(world.clone("web"), "mine.txt"), "mine\n");
  return world;
}

async function hasTag(world: World, directory: string, tag: string): Promise<boolean> {
  return await world.git(directory, "tag", "--list", tag) === tag;
}

async function isClean(world: World, directory: string): Promise<boolean> {
  return await world.git(directory, "status", "--porcelain") === "";
}

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
  {
    name: "release",
    args: ["release", "patch", "--alpha", "--yes"],
    prepare: releaseWorld,
    ends: "told",
    done: async (world) =>
      await hasTag(world, world.control, "v0.1.1-alpha.1") &&
      await hasTag(world, join(world.remotes, "control.git"), "v0.1.1-alpha.1") &&
      await isClean(world, world.control),
    again: ["release_blocked"],
  },
  {
    name: "release train",
    args: ["release", "train", "bump", "patch", "--alpha", "--yes"],
    async prepare() {
      const world = await trainWorld(["api", "web"]);
      await giveRemote(world, world.control, "control");
      return world;
    },
    ends: "told",
    async done(world) {
      for (const repo of ["api", "web"]) {
        if (!await hasTag(world, world.clone(repo), "v1.0.1-alpha.1")) return false;
        if (!await isClean(world, world.clone(repo))) return false;
      }
      return true;
    },
    again: ["release_blocked"],
  },
];
